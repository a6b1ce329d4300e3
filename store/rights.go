package store

import (
	"slices"

	"countersign/domain"
	"countersign/domain/evidence"
)

// countRights is how often roles, users and keys were changed.
const countRights = "rights"

// maxRights bounds what a connection remembers.
const maxRights = 4096

// rights remembers roles, users and keys as a connection has read them: every
// request asks for the same few. What it remembers holds while their count of
// changes, which each transaction reads anew, stays what it was; other
// connections and processes change it too. The count is not covered by the log, so
// it ends with every entry that changes rights, too, once this process knows of it.
type rights struct {
	version int
	seq     int64 // of the last entry that changed rights, when it was read
	known   map[rightsKey]any
	checked bool // in this transaction
}

type rightsKey struct{ table, column, value string }

// begin is the beginning of a transaction: what is remembered is to be checked.
func (m *rights) begin() { m.checked = false }

// forget is for rows that were changed in this transaction, or that an undone
// one had changed.
func (m *rights) forget() { m.known = nil }

// since forgets what was read before an entry. It is to be called before the
// transaction begins.
func (m *rights) since(seq int64) {
	if seq != m.seq {
		m.forget()
		m.seq = seq
	}
}

// changesRights says whether an entry is of a change of roles, users or keys.
func changesRights(e *evidence.Entry) bool {
	return slices.ContainsFunc(e.Rows, func(row evidence.Row) bool {
		return slices.ContainsFunc(rightsTables, func(s *shape) bool { return s.name == row.Table })
	})
}

// remembered is the row of a table with this value in a column, or that there is
// none: as the connection remembers it, or else as load reads it. What it gives is the
// caller's own, but for the elements of its lists.
func remembered[T any](r *reader, table, column, value string, load func() (*T, error)) (*T, error) {
	m := &r.c.rights
	if !m.checked {
		version, err := r.counted(countRights)
		if err != nil {
			return nil, err
		}
		if version != m.version {
			m.forget()
		}
		m.version, m.checked = version, true
	}
	key := rightsKey{table, column, value}
	v, known := m.known[key].(T)
	if known {
		return &v, nil
	}
	if m.known[key] == domain.ErrNotFound {
		return nil, domain.ErrNotFound
	}
	loaded, err := load()
	if err != nil && err != domain.ErrNotFound {
		return nil, err
	}
	if m.known == nil || len(m.known) >= maxRights {
		m.known = map[rightsKey]any{}
	}
	if err != nil {
		m.known[key] = err
		return nil, err
	}
	m.known[key] = *loaded
	return loaded, nil
}

// rightsTables are those of which rows are remembered.
var rightsTables = []*shape{&roles.shape, &users.shape, &userRoles.shape, &keys.shape, &keyRoles.shape}

// changedRights counts a change, once in a transaction, if the table's rows are
// remembered.
func (x *tx) changedRights(s *shape) {
	if !slices.Contains(rightsTables, s) {
		return
	}
	x.c.rights.forget()
	if !x.rightsChanged {
		x.rightsChanged = true
		x.count(1, countRights)
	}
}
