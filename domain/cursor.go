package domain

import (
	"fmt"
	"strconv"
	"strings"
)

// Cursor is a place in a stream: message N of log entry Seq. A listener has seen
// everything up to it.
type Cursor struct {
	Seq int64
	N   int
}

// EndOfEntry returns the place after all messages of an entry.
func EndOfEntry(seq int64) Cursor { return Cursor{Seq: seq, N: 1 << 30} }

// String returns "<log sequence>.<n>".
func (c Cursor) String() string { return fmt.Sprintf("%d.%d", c.Seq, c.N) }

// ParseCursor reads what String writes, or a sequence number alone: then all of that
// entry has been seen.
func ParseCursor(text string) (Cursor, error) {
	seq, n, split := strings.Cut(text, ".")
	number, err := strconv.ParseInt(seq, 10, 64)
	c := EndOfEntry(number)
	if err == nil && split {
		c.N, err = strconv.Atoi(n)
	}
	if err != nil || c.Seq < -1 || c.N < 0 {
		return c, Invalid("last_event_id", "format", "An event id is <log sequence>.<n>.")
	}
	return c, nil
}

// isBefore reports whether the message at d comes after the place c.
func (c Cursor) isBefore(d Cursor) bool { return c.Seq < d.Seq || c.Seq == d.Seq && c.N < d.N }
