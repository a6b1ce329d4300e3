package store

import (
	"fmt"
	"strings"

	"countersign/domain"
	"countersign/domain/evidence"
)

func (r *reader) NextSeq() (next int64, err error) {
	err = r.c.row("SELECT COALESCE(MAX(seq) + 1, 0) FROM log", nil, &next)
	return next, err
}

func (r *reader) Entry(seq int64) (*evidence.Entry, error) {
	list, err := r.entries("WHERE seq = $1", seq)
	if err != nil {
		return nil, err
	}
	if len(list) == 0 {
		return nil, domain.ErrNotFound
	}
	return list[0], nil
}

// Entries lists entries of the log, at most domain.MaxPage when the filter
// gives no limit.
func (r *reader) Entries(f domain.EntryFilter) ([]*evidence.Entry, error) {
	q := new(query)
	if f.After != nil {
		q.and("seq > ?", *f.After)
	}
	if f.Before != nil {
		q.and("seq < ?", *f.Before)
	}
	q.equal("confirm_id", f.ConfirmID)
	q.equal("plan_id", f.PlanID)
	q.equal("trace_id", f.TraceID)
	q.equal("object_id", f.ObjectID)
	q.equal("type", f.Type)
	if len(f.Types) > 0 {
		marks := strings.Repeat(", ?", len(f.Types))[2:]
		values := make([]any, len(f.Types))
		for i, t := range f.Types {
			values[i] = t
		}
		q.and("type IN ("+marks+")", values...)
	}
	direction, limit := "", f.Limit
	if f.Newest {
		direction = " DESC"
	}
	if limit <= 0 {
		limit = domain.MaxPage
	}
	return r.entries(fmt.Sprintf("%s ORDER BY seq%s LIMIT %d", q.where(), direction, limit), q.args...)
}

func (r *reader) entries(rest string, args ...any) ([]*evidence.Entry, error) {
	var list []*evidence.Entry
	err := r.c.each("SELECT entry FROM log "+rest, args, func(rows row) error {
		var data []byte
		if err := rows.Scan(&data); err != nil {
			return err
		}
		e, err := evidence.ParseEntry(data)
		list = append(list, e)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("read log: %w", err)
	}
	return list, nil
}
