package store

import (
	"encoding/json"

	"countersign/domain"
)

// Bounds of what a connection remembers of lists.
const (
	maxRecent     = 32
	maxRecentText = 64 << 10 // bytes of a page's reasons
)

// recent remembers the pages of confirms that a connection has read last: with
// every change, all who have the inbox open ask for the same one. They hold while
// the log's head stays where it was, because nothing that a list shows changes
// without an entry.
type recent struct {
	head  int64
	pages map[string]recentPage
}

type recentPage struct {
	list []*domain.ConfirmRow
	next string
}

// remember gives a page as it was read at the log's present head, or reads it.
// The rows are the caller's own.
func (r *reader) remember(f domain.ConfirmFilter, p domain.Page, load func() ([]*domain.ConfirmRow, string, error)) ([]*domain.ConfirmRow, string, error) {
	if r.c.use != reads || f.ChangedSince != nil {
		return load() // a writer's list may change between two entries
	}
	head, err := r.NextSeq()
	if err != nil {
		return nil, "", err
	}
	key, err := json.Marshal([]any{f, p})
	if err != nil {
		return nil, "", err
	}
	m := &r.c.recent
	if m.pages == nil || m.head != head || len(m.pages) >= maxRecent {
		m.head, m.pages = head, map[string]recentPage{}
	}
	page, known := m.pages[string(key)]
	if !known {
		if page.list, page.next, err = load(); err != nil {
			return nil, "", err
		}
		if page.light() {
			m.pages[string(key)] = page
		}
	}
	own := make([]domain.ConfirmRow, len(page.list))
	list := make([]*domain.ConfirmRow, len(page.list))
	for i, row := range page.list {
		own[i] = *row
		list[i] = &own[i]
	}
	return list, page.next, nil
}

// light says whether a page takes little enough memory to be kept.
func (p recentPage) light() bool {
	size := 0
	for _, row := range p.list {
		size += len(row.Reason)
	}
	return size <= maxRecentText
}
