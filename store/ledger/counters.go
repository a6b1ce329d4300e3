package ledger

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"countersign/store/driver"
)

// counters are the counts that the writer has read. All members of a group read and
// change the same few, so each is read once, and written once at the end. They are valid
// until another process writes: nothing is counted without an entry in the log.
type counters struct {
	stored map[string]int // those that were read
	head   int64          // the number of the next entry at that time
	again  []string       // those that were known before another process wrote
	group  map[string]int // changes of the group
	member map[string]int // changes of the member that runs
}

const (
	maxCounts = 4096 // counts that are kept at most
	maxAgain  = 64   // counts that are read again at once
)

// begin begins a group. head is the number of the next entry.
func (c *counters) begin(head int64) {
	if c.head != head && len(c.stored) <= maxAgain {
		c.again = slices.Sorted(maps.Keys(c.stored))
	}
	if c.head != head || len(c.stored) > maxCounts {
		c.stored = nil
	}
	c.group, c.member = nil, nil
}

// committed keeps the group's changes. head is the number of the next entry.
func (c *counters) committed(head int64) {
	for name, delta := range c.group {
		if n, known := c.stored[name]; known {
			c.stored[name] = n + delta
		}
	}
	c.head = head
}

// changed returns by how much a count differs from the stored one.
func (c *counters) changed(name string) int { return c.group[name] + c.member[name] }

// keepMember adds the member's changes to the group's.
func (c *counters) keepMember() {
	for name, delta := range c.member {
		c.add(name, delta)
	}
	clear(c.member)
}

// add changes a count of the group.
func (c *counters) add(name string, delta int) {
	if c.group == nil {
		c.group = map[string]int{}
	}
	c.group[name] += delta
}

// dropMember drops the changes of a member that was undone.
func (c *counters) dropMember() { clear(c.member) }

// store writes the group's changes, always in the same order: groups of two processes
// must not wait for each other.
func (c *counters) store(to *driver.Session) error {
	values := make([]any, 0, 2*len(c.group))
	for _, name := range slices.Sorted(maps.Keys(c.group)) {
		values = append(values, name, int64(c.group[name]))
	}
	return to.InsertRows("volatile_counts (name, n)", 2, values, " ON CONFLICT (name) DO UPDATE SET n = volatile_counts.n + excluded.n")
}

// Count changes the counts by delta.
func (x *Tx) Count(delta int, names ...string) {
	if x.counts.member == nil {
		x.counts.member = map[string]int{}
	}
	for _, name := range names {
		x.counts.member[name] += delta
	}
}

// Counted returns a count, 0 if there is none. A transaction remembers what it has read.
func (r *Reader) Counted(name string) (n int, err error) {
	if r.tx == nil {
		stored, err := r.storedCounts([]string{name})
		return stored[name], err
	}
	c := r.tx.counts
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

// Counts returns the counts with these names. Those that never changed are left out.
func (r *Reader) Counts(names []string) (map[string]int, error) {
	counts, err := r.storedCounts(names)
	if err != nil || r.tx == nil {
		return counts, err
	}
	for _, name := range names {
		if delta := r.tx.counts.changed(name); delta != 0 {
			counts[name] += delta
		}
	}
	return counts, nil
}

func (r *Reader) storedCounts(names []string) (map[string]int, error) {
	args, marks := make([]any, len(names)), make([]string, len(names))
	for i, name := range names {
		args[i], marks[i] = name, fmt.Sprintf("$%d", i+1)
	}
	stored := map[string]int{}
	text := "SELECT name, n FROM volatile_counts WHERE name IN (" + strings.Join(marks, ", ") + ")"
	err := r.Conn.Query(text, args, func(rows driver.Row) error {
		var name string
		var n int
		err := rows.Scan(&name, &n)
		stored[name] = n
		return err
	})
	return stored, err
}
