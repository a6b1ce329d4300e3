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

// Hidden counts the characters of s that only a mark makes visible.
func Hidden(s string) int {
	if obvious(s) {
		return 0
	}
	n := 0
	for _, segment := range Visible(s) {
		if segment.Kind == Invisible {
			n++
		}
	}
	return n
}
