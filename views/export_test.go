package views

// DrawnLimit bounds what an InboxDrawn keeps, in bytes.
const DrawnLimit = 2 * drawnGeneration

// Kept says how many rows are kept, and how many bytes they take.
func (d *InboxDrawn) Kept() (rows, bytes int) {
	for _, generation := range []map[inboxPlace]*drawnRow{d.young, d.old} {
		for _, row := range generation {
			rows, bytes = rows+1, bytes+row.bytes()
		}
	}
	return rows, bytes
}
