package store

import (
	"fmt"
	"slices"
	"sync"

	"countersign/domain/evidence"
	"countersign/store/ledger"
)

// maxCached bounds the cache.
const maxCached = 4096

// accessTables are those whose rows are cached: every request asks for the same few.
var accessTables = []*schema{&roles.schema, &users.schema, &userRoles.schema, &keys.schema, &keyRoles.schema, &policies.schema}

// accessCache has roles, users, keys and policies as all connections have read them. Its rows are
// those after one entry of the log: the last that changed the tables. The entries say
// which one that is, not the columns beside them.
type accessCache struct {
	mu   sync.Mutex
	next int64 // the first entry that was not looked at
	last int64 // of those before, the last that changed the tables, or may have
	asOf int64 // the rows are those after this entry
	rows map[accessKey]any
}

type accessKey struct{ table, column, value string }

// accessState reports whether a transaction may use the cache. The zero value: not
// known yet.
type accessState int

const (
	accessUnknown accessState = iota
	accessCached
	accessUncached // the tables have changed in it, or since it began
)

// cacheUse is how a transaction uses the cache. The members of a group share one: what
// one of them changes, the others must not read from the cache.
type cacheUse struct {
	state accessState
	asOf  int64 // it uses the rows after this entry
	first int64 // of a group: the number of its first entry
}

// ofGroup returns the use of the writer's group. Nothing is committed between two groups
// that begin with the same number, so they share it.
func (u *cacheUse) ofGroup(first int64) *cacheUse {
	if u.first != first {
		*u = cacheUse{first: first}
	}
	return u
}

// start begins to follow the log at an entry.
func (a *accessCache) start(next int64) { a.next, a.last = next, next-1 }

// follow takes entries that follow those before without a gap.
func (a *accessCache) follow(entries []*evidence.Entry) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, e := range entries {
		if changesAccess(e) {
			a.last = e.Seq
		}
		a.next = e.Seq + 1
	}
}

func changesAccess(e *evidence.Entry) bool {
	return slices.ContainsFunc(e.Rows, func(row evidence.Row) bool {
		return slices.ContainsFunc(accessTables, func(s *schema) bool { return s.name == row.Table })
	})
}

// lastChange returns the last entry before head that changed the tables. It is not
// known if they have changed since head.
func (a *accessCache) lastChange(r *reader, head int64) (last int64, isKnown bool, err error) {
	a.mu.Lock()
	next, last := a.next, a.last
	a.mu.Unlock()
	if head <= next {
		return last, last < head, nil
	}
	// Others have committed, and this process has not followed yet.
	entries, err := r.ProvenEntries("WHERE seq >= $1 AND seq < $2 ORDER BY seq", next, head)
	if err != nil {
		return 0, false, err
	}
	for i, e := range entries {
		if e.Seq != next+int64(i) {
			return 0, false, ledger.NotAsSigned(fmt.Errorf("entry %d is missing", next+int64(i)))
		}
		if changesAccess(e) {
			last = e.Seq
		}
	}
	if int64(len(entries)) != head-next {
		return 0, false, ledger.NotAsSigned(fmt.Errorf("entry %d is missing", head-1))
	}
	return last, true, nil
}

// begin empties the cache if the tables have changed since its rows were read, and
// reports whether it may be used: not if a newer transaction has used it.
func (a *accessCache) begin(last int64) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.asOf < last || a.rows == nil {
		a.asOf, a.rows = last, map[accessKey]any{}
	}
	return a.asOf == last
}

func (a *accessCache) get(last int64, key accessKey) any {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.asOf != last {
		return nil
	}
	return a.rows[key]
}

func (a *accessCache) put(last int64, key accessKey, row any) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.asOf != last {
		return
	}
	if len(a.rows) >= maxCached {
		clear(a.rows)
	}
	a.rows[key] = row
}

// cached returns the row of a table with this value in a column, from the cache or
// else as load reads it. It is the caller's own, but for the elements of its lists.
func cached[T any](r *reader, table, column, value string, load func() (*T, error)) (*T, error) {
	if r.use.state == accessUnknown {
		if err := r.beginAccess(); err != nil {
			return nil, err
		}
	}
	if r.use.state == accessUncached {
		return load()
	}
	key, cache := accessKey{table, column, value}, r.cache
	if row, isCached := cache.get(r.use.asOf, key).(T); isCached {
		return &row, nil
	}
	loaded, err := load()
	if err == nil { // that there is none is asked again: nothing proves it
		cache.put(r.use.asOf, key, *loaded)
	}
	return loaded, err
}

// beginAccess finds out whether this transaction may use the cache.
func (r *reader) beginAccess() error {
	head, err := r.CommittedSize()
	if err != nil {
		return err
	}
	last, isKnown, err := r.cache.lastChange(r, head)
	if err != nil {
		return err
	}
	r.use.state, r.use.asOf = accessUncached, last
	if isKnown && r.cache.begin(last) {
		r.use.state = accessCached
	}
	return nil
}

// each finds every row of a list by itself: as cached, and as written last.
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

// changesAccess keeps the rest of the group from the cache if the table is one of
// those.
func (x *tx) changesAccess(s *schema) {
	if slices.Contains(accessTables, s) {
		x.use.state = accessUncached
	}
}
