package store

import (
	"fmt"

	"countersign/domain/evidence"
)

// reader reads through one connection: in a snapshot for View, or in the
// writer's transaction.
type reader struct {
	c    *conn
	keys *signing
	tx   *tx // whose reader this is; nil for a View
}

// strings are the values of a query's only column.
func (r *reader) strings(text string, args ...any) ([]string, error) {
	var list []string
	err := r.c.each(text, args, func(rows row) error {
		var s string
		err := rows.Scan(&s)
		list = append(list, s)
		return err
	})
	return list, err
}

// tx is one member's transaction.
type tx struct {
	reader
	next    int64             // number of the next entry
	rows    []evidence.Row    // written since the last Append
	before  []*evidence.Entry // that the group had appended before
	entries []*evidence.Entry // appended
	leaves  []evidence.Hash   // theirs

	rightsChanged bool

	sealer   *sealer
	handover *handover // of keys, in this group
}

// NextSeq knows of the entries that this transaction and the group before it
// have appended.
func (x *tx) NextSeq() (int64, error) { return x.next, nil }

func (x *tx) Append(e *evidence.Entry) error {
	e.Seq, e.Rows = x.next, x.rows
	data := e.Marshal()
	kind, confirm, trace := e.Searched()
	leaf := evidence.LeafHash(data)
	err := x.c.later(`INSERT INTO log (seq, entry, hash, type, confirm_id, plan_id, object_id, trace_id)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`, e.Seq, data, leaf[:],
		text(&kind).value(), text(&confirm).value(), text(&e.PlanID).value(), text(&e.ObjectID).value(), text(&trace).value())
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
