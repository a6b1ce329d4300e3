package store

import (
	"fmt"
	"slices"
	"sync"

	"countersign/domain/evidence"
)

// maxRights bounds what a connection remembers.
const maxRights = 4096

// rights is a cache of roles, users and keys as a connection has read them: every
// request asks for the same few. It holds as long as no entry of the log has
// written to their tables since (rightsLog).
type rights struct {
	version   int64 // number of the entry that changed them last
	known     map[rightsKey]any
	isChecked bool // in this transaction
	isPast    bool // rights have changed since this transaction began: nothing is remembered
}

type rightsKey struct{ table, column, value string }

// begin is the beginning of a transaction: what is remembered is to be checked.
func (m *rights) begin() { m.isChecked = false }

// forget is for rows that were changed in this transaction, or that an undone
// one had changed.
func (m *rights) forget() { m.known = nil }

// rightsLog knows which entry changed rights last, as far as this process has
// followed the log. Entries tell it, not columns beside them.
type rightsLog struct {
	mu   sync.Mutex
	next int64 // the first entry that was not looked at
	last int64 // of those before, the last that changed rights, or may have
}

// begin is for a log that is followed from an entry on.
func (l *rightsLog) begin(next int64) { l.next, l.last = next, next-1 }

// add takes entries that follow those before without a gap.
func (l *rightsLog) add(entries []*evidence.Entry) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, e := range entries {
		if changesRights(e) {
			l.last = e.Seq
		}
		l.next = e.Seq + 1
	}
}

func changesRights(e *evidence.Entry) bool {
	return slices.ContainsFunc(e.Rows, func(row evidence.Row) bool {
		return slices.ContainsFunc(rightsTables, func(s *shape) bool { return s.name == row.Table })
	})
}

// lastBefore returns the last entry before head that changed rights. It is not known
// if rights have changed since head.
func (l *rightsLog) lastBefore(r *reader, head int64) (last int64, isKnown bool, err error) {
	l.mu.Lock()
	next, last := l.next, l.last
	l.mu.Unlock()
	if head <= next {
		return last, last < head, nil
	}
	// Others have committed, and this process has not followed yet.
	entries, err := r.entries("WHERE seq >= $1 AND seq < $2 ORDER BY seq", next, head)
	if err != nil {
		return 0, false, err
	}
	for i, e := range entries {
		if e.Seq != next+int64(i) {
			return 0, false, notAsSigned(fmt.Errorf("entry %d is missing", next+int64(i)))
		}
		if changesRights(e) {
			last = e.Seq
		}
	}
	if int64(len(entries)) != head-next {
		return 0, false, notAsSigned(fmt.Errorf("entry %d is missing", head-1))
	}
	return last, true, nil
}

// remembered is the row of a table with this value in a column: as the connection
// remembers it, or else as load reads it. What it returns is
// the caller's own, but for the elements of its lists.
func remembered[T any](r *reader, table, column, value string, load func() (*T, error)) (*T, error) {
	m := &r.c.rights
	if !m.isChecked {
		if err := r.checkRights(); err != nil {
			return nil, err
		}
	}
	key := rightsKey{table, column, value}
	if v, known := m.known[key].(T); known {
		return &v, nil
	}
	loaded, err := load()
	if err != nil || m.isPast {
		return loaded, err // that there is none is asked again: nothing proves it
	}
	if m.known == nil || len(m.known) >= maxRights {
		m.known = map[rightsKey]any{}
	}
	m.known[key] = *loaded
	return loaded, nil
}

// each finds every row of a list by itself: as remembered, and as written last.
func each[T any](list []*T, find func(*T) (*T, error)) ([]*T, error) {
	for i, v := range list {
		found, err := find(v)
		if err != nil {
			return nil, err
		}
		list[i] = found
	}
	return list, nil
}

// checkRights forgets what is remembered if rights have changed since.
func (r *reader) checkRights() error {
	m := &r.c.rights
	head := r.c.head
	if r.tx == nil {
		var err error
		if head, err = r.NextSeq(); err != nil {
			return err
		}
	}
	version, isKnown, err := r.keys.rights.lastBefore(r, head)
	if err != nil {
		return err
	}
	if !isKnown || version != m.version {
		m.forget()
	}
	m.version, m.isPast, m.isChecked = version, !isKnown, true
	return nil
}

// rightsTables are those of which rows are remembered.
var rightsTables = []*shape{&roles.shape, &users.shape, &userRoles.shape, &keys.shape, &keyRoles.shape}

// changedRights forgets what is remembered if the table's rows are.
func (x *tx) changedRights(s *shape) {
	if slices.Contains(rightsTables, s) {
		x.c.rights.forget()
		x.rightsChanged = true
	}
}
