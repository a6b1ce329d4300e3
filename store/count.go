package store

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"countersign/domain"
)

// Names of counts. Counts are kept, not counted: they are asked for with every
// request, whatever the number of confirms.
const (
	countPending   = "pending:"   // confirms of the target type, or of the principal, that follows
	countApprovals = "approvals:" // approval requests of the session that follows
)

// counts are those of a connection's transaction. All members of a group ask for
// the same few and change them, so each is read once and written once, at the
// end. The connection that writes goes on with those it knows as long as nobody
// else has written: nothing is counted without an entry in the log.
type counts struct {
	stored map[string]int // as far as they were asked for
	head   int64          // the number of the next entry where they were so
	again  []string       // those that were known before somebody else wrote
	group  map[string]int // by how much they change
	member map[string]int // and with the member whose turn it is
}

const (
	maxCounts = 4096 // what the connection that writes remembers at most
	maxAgain  = 64   // what it reads again at once
)

// begin is the beginning of a group over a log whose next entry has this number.
func (c *counts) begin(head int64) {
	if c.head != head && len(c.stored) <= maxAgain {
		c.again = slices.Sorted(maps.Keys(c.stored))
	}
	if c.head != head || len(c.stored) > maxCounts {
		c.stored = nil
	}
	c.group, c.member = nil, nil
}

// committed says that the group's changes are stored, and which number the next
// entry has.
func (c *counts) committed(head int64) {
	for name, delta := range c.group {
		if n, known := c.stored[name]; known {
			c.stored[name] = n + delta
		}
	}
	c.head = head
}

// changed is by how much a count will differ from the one that is stored.
func (c *counts) changed(name string) int { return c.group[name] + c.member[name] }

// kept says that the member's changes are part of the group's.
func (c *counts) kept() {
	for name, delta := range c.member {
		c.add(name, delta)
	}
	clear(c.member)
}

// add changes a count of the group.
func (c *counts) add(name string, delta int) {
	if c.group == nil {
		c.group = map[string]int{}
	}
	c.group[name] += delta
}

// dropped says that the member was undone.
func (c *counts) dropped() { clear(c.member) }

// write stores what the group has changed, always in the same order: groups of
// other processes must not wait for each other.
func (c *counts) write(to *conn) error {
	values := make([]any, 0, 2*len(c.group))
	for _, name := range slices.Sorted(maps.Keys(c.group)) {
		values = append(values, name, int64(c.group[name]))
	}
	return to.insertRows("volatile_counts (name, n)", 2, values, " ON CONFLICT (name) DO UPDATE SET n = volatile_counts.n + excluded.n")
}

// count changes the counts by delta.
func (x *tx) count(delta int, names ...string) {
	if x.c.counts.member == nil {
		x.c.counts.member = map[string]int{}
	}
	for _, name := range names {
		x.c.counts.member[name] += delta
	}
}

func (r *reader) counted(name string) (n int, err error) {
	c := &r.c.counts
	if _, known := c.stored[name]; !known {
		names := append(c.again, name)
		read, err := r.storedCounts(names)
		if err != nil {
			return 0, err
		}
		if c.stored == nil {
			c.stored = map[string]int{}
		}
		for _, name := range names {
			c.stored[name] = read[name] // 0 where there is none
		}
		c.again = nil
	}
	return c.stored[name] + c.changed(name), nil
}

func (r *reader) storedCounts(names []string) (map[string]int, error) {
	args, marks := make([]any, len(names)), make([]string, len(names))
	for i, name := range names {
		args[i], marks[i] = name, fmt.Sprintf("$%d", i+1)
	}
	stored := map[string]int{}
	text := "SELECT name, n FROM volatile_counts WHERE name IN (" + strings.Join(marks, ", ") + ")"
	err := r.c.each(text, args, func(rows row) error {
		var name string
		var n int
		err := rows.Scan(&name, &n)
		stored[name] = n
		return err
	})
	return stored, err
}

// pendingKey is that of all pending confirms.
type pendingKey struct{}

func (r *reader) PendingCount(by *domain.Ref) (int, error) {
	if by != nil {
		n, err := r.counted(pendingOf(*by))
		if err == nil && n < 0 { // somebody changed it: it would let an agent post beyond its limit
			err = r.c.row("SELECT COUNT(*) FROM confirms WHERE status = 'pending' AND imported = 0 AND requested_by = $1", []any{by.String()}, &n)
		}
		return n, err
	}
	return recalled(r, pendingKey{}, func() (n int, err error) {
		types, err := r.PendingByType()
		for _, of := range types {
			n += of
		}
		return n, err
	})
}

func (r *reader) PendingByType() (map[domain.TargetType]int, error) {
	names := make([]string, len(domain.TargetTypes))
	for i, of := range domain.TargetTypes {
		names[i] = pendingType(of)
	}
	stored, err := r.storedCounts(names)
	types := map[domain.TargetType]int{}
	for i, of := range domain.TargetTypes {
		n, known := stored[names[i]]
		if delta := r.c.counts.changed(names[i]); known || delta != 0 {
			types[of] = n + delta
		}
	}
	return types, err
}

func (r *reader) ApprovalCount(sessionID string) (int, error) {
	return r.counted(countApprovals + sessionID)
}

func pendingOf(by domain.Ref) string { return countPending + by.String() }

func pendingType(of domain.TargetType) string { return countPending + string(of) }
