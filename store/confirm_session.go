package store

import (
	"cmp"
	"fmt"
	"slices"

	"countersign/domain"
)

// SessionSteps reads requests along one index and decisions along another.
func (r *reader) SessionSteps(f domain.SessionFilter) (steps []domain.SessionStep, err error) {
	requests, decisions := sessionSteps(f)
	for _, s := range []*statement{requests, decisions} {
		list, err := confirms.all(r, s.String(), s.args...)
		if err != nil {
			return nil, err
		}
		for _, c := range list {
			step := domain.SessionStep{Seq: c.RequestedSeq, Confirm: c}
			if s == decisions && f.OpenAt == 0 {
				step.Seq = c.DecidedSeq
			}
			steps = append(steps, step)
		}
	}
	slices.SortFunc(steps, func(a, b domain.SessionStep) int { return cmp.Compare(a.Seq, b.Seq) })
	return steps[:min(len(steps), f.Limit)], nil
}

// sessionSteps are the queries for what was requested and for what was decided.
// With OpenAt both are for requests: for those that are still pending, and for
// those that were decided since.
func sessionSteps(f domain.SessionFilter) (requests, decisions *statement) {
	query := func(order string, along ...condition) *statement {
		w := new(listQuery)
		w.where("c.imported = 0")
		w.useIndex("c.session_id = ?", f.SessionID) // so that visible adds only what rows tell
		w.visible(f.Visible)
		s := new(statement)
		s.add("c")
		s.where(w.indexConds, along, w.rowConds)
		s.add(fmt.Sprintf(" ORDER BY %s LIMIT %d", order, f.Limit))
		return s
	}
	if f.OpenAt == 0 {
		return query("c.requested_seq", condition{"c.requested_seq >= ?", []any{f.From}}),
			query("c.decided_seq", condition{"c.status <> 'pending' AND c.decided_seq >= ?", []any{f.From}})
	}
	// The sums keep the database from reading all requests of the session, or of the
	// group, for the sake of their order: few are pending.
	return query("c.requested_seq + 0", condition{"c.decided_seq = 0 AND c.requested_seq + 0 >= ? AND c.requested_seq + 0 < ?", []any{f.From, f.OpenAt}}),
		query("c.requested_seq + 0", condition{"c.decided_seq >= ? AND c.requested_seq + 0 >= ? AND c.requested_seq + 0 < ?", []any{f.OpenAt, f.From, f.OpenAt}})
}
