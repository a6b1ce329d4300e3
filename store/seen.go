package store

import (
	"encoding/json"

	"countersign/domain"
)

// Bounds of what a connection remembers.
const (
	maxSeen     = 64
	maxSeenText = 64 << 10 // bytes of the texts of a page
)

// seen remembers what a connection that reads has read last: with every change,
// all who have a page open ask for the same. It holds as long as the database is
// of the version that it was read of: nothing at all was committed since, by
// whatever process.
type seen struct {
	version any
	known   map[any]any
}

// look begins to read and finds out which version of the database this is. What
// was read of another one is forgotten.
func (c *conn) look(begin string) error {
	var version any
	err := c.session.later(begin, nil)
	if err == nil {
		err = c.row(c.dialect.words().version, nil, &version)
	}
	if err != nil {
		_ = c.rollback() // the first error says more
		return err
	}
	if version != c.seen.version {
		c.seen = seen{version, map[any]any{}}
		c.rights.begin()
		c.counts = counts{}
	}
	return nil
}

// recalled is what load reads, or what it has read of the same version. The key's
// type tells what it is of. Connections that write remember nothing: they see
// what they change.
func recalled[T any](r *reader, key any, load func() (T, error)) (T, error) {
	if r.c.use != reads {
		return load()
	}
	if v, known := r.c.seen.known[key]; known {
		return v.(T), nil
	}
	v, err := load()
	if err == nil {
		if len(r.c.seen.known) >= maxSeen {
			clear(r.c.seen.known)
		}
		r.c.seen.known[key] = v
	}
	return v, err
}

// confirmPage is a page of a list of confirms.
type confirmPage struct {
	list []*domain.ConfirmRow
	next string
}

// confirmPageKey is the filter and the page, as JSON.
type confirmPageKey string

// recalledConfirms is recalled for a page of confirms. The rows are nobody's own.
func recalledConfirms(r *reader, f domain.ConfirmFilter, p domain.Page, load func() ([]*domain.ConfirmRow, string, error)) ([]*domain.ConfirmRow, string, error) {
	if r.c.use != reads {
		return load()
	}
	key, err := pageKey(f, p, 0)
	if err != nil {
		return nil, "", err
	}
	page, err := recalled(r, confirmPageKey(key), func() (page confirmPage, err error) {
		page.list, page.next, err = load()
		return page, err
	})
	if err != nil {
		return nil, "", err
	}
	if !page.light() {
		delete(r.c.seen.known, confirmPageKey(key))
	}
	return page.list, page.next, nil
}

// pageKey names a page of a list, of which so many of each group are listed; 0:
// all.
func pageKey(f domain.ConfirmFilter, p domain.Page, each int) (string, error) {
	key, err := json.Marshal([]any{f, p, each})
	return string(key), err
}

// light says whether a page takes little enough memory to be kept.
func (p confirmPage) light() bool {
	size := 0
	for _, row := range p.list {
		size += row.Written()
	}
	return size <= maxSeenText
}
