package domain

import (
	"fmt"
	"strconv"
	"strings"
)

// Cursor names a place in a stream: the n-th message of one log entry. What
// comes after it is what a listener has missed.
type Cursor struct {
	Seq int64
	N   int
}

// EndOf is the place after all messages of an entry.
func EndOf(seq int64) Cursor { return Cursor{Seq: seq, N: 1 << 30} }

// String is "<log sequence>.<n>", as streams give it.
func (c Cursor) String() string { return fmt.Sprintf("%d.%d", c.Seq, c.N) }

// ParseCursor reads what String writes, and a sequence number alone: all of
// that entry has been seen then.
func ParseCursor(text string) (Cursor, error) {
	seq, n, split := strings.Cut(text, ".")
	number, err := strconv.ParseInt(seq, 10, 64)
	c := EndOf(number)
	if err == nil && split {
		c.N, err = strconv.Atoi(n)
	}
	if err != nil || c.Seq < -1 || c.N < 0 {
		return c, Invalid("last_event_id", "format", "An event id is <log sequence>.<n>.")
	}
	return c, nil
}

// before says whether the message at d comes after the place c.
func (c Cursor) before(d Cursor) bool { return c.Seq < d.Seq || c.Seq == d.Seq && c.N < d.N }
