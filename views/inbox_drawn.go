package views

import (
	"slices"
	"sync"
)

// Bounds of what InboxDrawn keeps, in bytes.
const (
	drawnGeneration = 2 << 20
	drawnLargest    = 64 << 10
	drawnOverhead   = 1 << 10 // of a row beside its texts
)

// InboxDrawn keeps rows as they were drawn: whenever anything happens, every open
// inbox is asked for again, and hardly a row of it is another one. A row is used
// again only if it shows the same in everything, so it is never stale, and never
// what its reader may not see. What passes with time is left out of it. A row that
// shows something else takes the place of the one before.
//
// Rows are kept in two generations. When the young one is full the old one goes,
// so that what is asked for stays and the rest takes a bounded time and memory.
//
// It is safe for concurrent use; a nil one keeps nothing.
type InboxDrawn struct {
	mu         sync.Mutex
	young, old map[inboxPlace]*drawnRow
	size       int // of the young, in bytes
}

// inboxPlace tells apart what readers see at the same time of one confirm. The
// address has the confirm's id and the reader's filter.
type inboxPlace struct {
	url  string
	mine bool
}

// drawnRow is a row and what was drawn for it.
type drawnRow struct {
	shows InboxRow
	markup
}

// row gives the row's markup, with gaps. It must not be changed.
func (d *InboxDrawn) row(row *InboxRow) *markup {
	if known := d.find(row); known != nil {
		return &known.markup
	}
	fresh := &drawnRow{shows: *row}
	fresh.inboxRow(row)
	d.keep(fresh)
	return &fresh.markup
}

func (r *drawnRow) place() inboxPlace { return inboxPlace{r.shows.URL, r.shows.Mine} }

// bytes is about what the row takes, as texts and as the markup of them.
func (r *drawnRow) bytes() int {
	n := 2*cap(r.made) + len(r.shows.RequestRole) + len(r.shows.Target) + len(r.shows.Heading) + drawnOverhead
	for _, name := range r.shows.Tools {
		n += len(name)
	}
	return n
}

// find looks for a row that shows the same.
func (d *InboxDrawn) find(row *InboxRow) *drawnRow {
	if d == nil {
		return nil
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	place := inboxPlace{row.URL, row.Mine}
	known, young := d.young[place]
	if !young {
		known = d.old[place]
	}
	if known == nil || known.shows.InboxFacts != row.InboxFacts || !slices.Equal(known.shows.Tools, row.Tools) {
		return nil
	}
	if !young {
		d.add(known)
	}
	return known
}

func (d *InboxDrawn) keep(fresh *drawnRow) {
	if d == nil {
		return
	}
	fresh.made = slices.Clone(fresh.made) // to its size
	if fresh.bytes() > drawnLargest {
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.add(fresh)
}

// add puts a row among the young, in the place of an earlier one.
func (d *InboxDrawn) add(r *drawnRow) {
	if d.young == nil || d.size+r.bytes() > drawnGeneration {
		d.young, d.old, d.size = map[inboxPlace]*drawnRow{}, d.young, 0
	}
	place := r.place()
	if before := d.young[place]; before != nil {
		d.size -= before.bytes()
	}
	delete(d.old, place)
	d.young[place] = r
	d.size += r.bytes()
}
