package ledger

import (
	"errors"
	"fmt"
	"slices"

	"countersign/domain/evidence"
)

// Tx is one member's transaction. It writes rows over the connection of Log.
type Tx struct {
	Log *Reader // with what the group has written

	first   int64             // number of the group's first entry
	next    int64             // of the next entry
	rows    []evidence.Row    // written since the last Append
	before  []*evidence.Entry // that the group has appended before
	entries []*evidence.Entry // appended
	leaves  []evidence.Hash   // theirs

	counts   *counters
	signer   *signer
	rotation *keyRotation // of keys, in this group
}

// errUncovered is a fault of the caller: a row that no entry names could be changed without
// a trace.
var errUncovered = errors.New("rows were written that no log entry covers")

// First returns the number of the group's first entry.
func (x *Tx) First() int64 { return x.first }

// Next returns the number of the entry that will name the rows that are written now.
func (x *Tx) Next() int64 { return x.next }

// Rows returns the rows that were written since the last Append.
func (x *Tx) Rows() []evidence.Row { return x.rows }

// AddRow has the next entry name a row that was written.
func (x *Tx) AddRow(row evidence.Row) {
	i := slices.IndexFunc(x.rows, func(r evidence.Row) bool { return r.Table == row.Table && r.Key == row.Key })
	switch {
	case i < 0:
		x.rows = append(x.rows, row)
	case row.Digest == nil && x.rows[i].Before == nil: // inserted and removed under one entry
		x.rows = slices.Delete(x.rows, i, i+1)
	default:
		x.rows[i].Digest = row.Digest
	}
}

// Append appends an entry, and sets its number and rows.
func (x *Tx) Append(e *evidence.Entry) error {
	e.Seq, e.Rows = x.next, x.rows
	data := e.Marshal()
	kind, confirm, trace := e.IndexColumns()
	leaf := evidence.LeafHash(data)
	err := x.Log.Conn.Queue(`INSERT INTO log (seq, entry, hash, type, confirm_id, plan_id, object_id, trace_id)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`, e.Seq, data, leaf[:],
		nullable(kind), nullable(confirm), nullable(e.PlanID), nullable(e.ObjectID), nullable(trace))
	if err != nil {
		return fmt.Errorf("append to log: %w", err)
	}
	published := *e // the caller may go on using its own
	x.entries = append(x.entries, &published)
	x.leaves = append(x.leaves, leaf)
	x.next++
	x.rows = nil
	return nil
}

// nullable stores the empty text as NULL.
func nullable(text string) any {
	if text == "" {
		return nil
	}
	return text
}
