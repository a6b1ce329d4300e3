package mplp

// Decision is a decision record inside a posted confirm. ID and DecidedAt may
// be "": the server fills them.
type Decision struct{ ID, Status, DecidedByRole, DecidedAt, Reason string }

// readRecord reads the one decision record of a change.
func (d *DecisionPost) readRecord(v value) {
	list := v.elements()
	switch {
	case list == nil:
		return
	case len(list) != 1:
		v.problem(countCode(len(list), 1), "must have exactly 1 element, the new decision")
		return
	}
	o := list[0].object()
	if o == nil {
		return
	}
	v.r.members(list[0].path, o, fields{
		{"decision_id", id(&d.DecisionID)},
		{"status", oneOf(&d.Status, "approved", "rejected")},
		{"decided_by_role", filledTitle(&d.DecidedByRole)},
		{"decided_at", dropDecidedAt},
		{"reason", text(&d.Reason)},
		{"user_edit_content", text(&d.UserEditContent)},
	}, "status")
}

// readRecords reads the decisions that a posted confirm comes with.
func readRecords(p *[]Decision) func(value) {
	return func(v value) {
		for _, e := range v.elements() {
			o := e.object()
			if o == nil {
				continue
			}
			var d Decision
			v.r.warnFilled(o, e.path, "decision_id")
			v.r.warnFilled(o, e.path, "decided_at")
			v.r.members(e.path, o, fields{
				{"decision_id", id(&d.ID)},
				{"status", oneOf(&d.Status, decisionStatuses...)},
				{"decided_by_role", filledTitle(&d.DecidedByRole)},
				{"decided_at", moment(&d.DecidedAt)},
				{"reason", text(&d.Reason)},
			}, "status", "decided_by_role")
			*p = append(*p, d)
		}
	}
}

// ClaimedDecisions returns the decisions that a stored confirm came with.
func ClaimedDecisions(native []byte) ([]Decision, error) {
	c, err := ParseConfirm(native, stored)
	if err != nil {
		return nil, err
	}
	return c.Decisions, nil
}

// dropDecidedAt drops the client's time: the server's clock counts.
func dropDecidedAt(v value) {
	v.r.warn(v.path, "dropped", "the time of a decision is the server's")
}
