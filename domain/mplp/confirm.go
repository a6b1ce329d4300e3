package mplp

import "fmt"

// Confirm is a request for a decision, as an agent posts it. Absent members are "" or
// nil.
type Confirm struct {
	ID, TargetType, TargetID, PlanID, StepID, Status            string
	RequestedByRole, Reason, RequiredRole, Supersedes, OnReject string
	SessionID, MessageID                                        string
	RequestedAt                                                 string // as RenderTime writes it
	Actions                                                     []Action
	ReviewConfigs                                               []ReviewConfig // none, one for all, or one per action
	Timeout                                                     *int64         // seconds
	Locked                                                      bool           // governance.locked
	Trace                                                       *Trace
	Decisions                                                   []Decision // as sent
	Native                                                      *Object    // as sent, without "$comment"
	Warnings                                                    []Warning
}

// MaxTimeout is thirty days in seconds.
const MaxTimeout = 2_592_000

// ParseConfirm reads a posted confirm. Errors are *SyntaxError or *Invalid.
func ParseConfirm(data []byte, l Limits) (*Confirm, error) {
	r, o, err := openDocument(data, l)
	if err != nil {
		return nil, err
	}
	c := &Confirm{Native: o}
	r.warnFilled(o, "", "meta")
	c.read(r, func(name string) string { return name }, nil, "target_type")
	c.Warnings = r.warnings
	return result(r, c)
}

// IsImported reports whether the confirm has a history: a status other than pending, or
// decisions.
func (c *Confirm) IsImported() bool {
	return len(c.Decisions) > 0 || c.Status != "" && c.Status != "pending"
}

// read reads c.Native and checks what no member shows by itself. at returns where a
// member was sent; other are members that belong to something else than the confirm.
func (c *Confirm) read(r *reader, at func(name string) string, other fields, required ...string) {
	r.membersAt(at, c.Native, other, fields{
		{"meta", anyObject},
		{"events", events},
		{"governance", readGovernance(&c.Locked)},
		{"trace", readTrace(&c.Trace)},
		{"confirm_id", id(&c.ID)},
		{"target_type", oneOf(&c.TargetType, targetTypes...)},
		{"target_id", id(&c.TargetID)},
		{"plan_id", id(&c.PlanID)},
		{"step_id", id(&c.StepID)},
		{"status", oneOf(&c.Status, confirmStatuses...)},
		{"requested_by_role", filledTitle(&c.RequestedByRole)},
		{"requested_at", moment(&c.RequestedAt)},
		{"reason", text(&c.Reason)},
		{"required_role", filledTitle(&c.RequiredRole)},
		{"supersedes", id(&c.Supersedes)},
		{"on_reject", oneOf(&c.OnReject, "abort", "recover")},
		{"session_id", id(&c.SessionID)},
		{"message_id", title(&c.MessageID)},
		{"timeout", whole(&c.Timeout, 1, MaxTimeout)},
		{"decisions", readRecords(&c.Decisions)},
		{"actions", actions(&c.Actions)},
		{"review_configs", reviewConfigs(&c.ReviewConfigs)},
	}, required...)

	if raw, ok := c.Native.Get("target_id"); c.TargetType != "other" && (!ok || isNull(raw)) {
		r.require(at("target_id"))
	}
	// Actions that could not be read have been reported already.
	_, sent := c.Native.Get("actions")
	if n, want := len(c.ReviewConfigs), len(c.Actions); n > 0 && n != want && (n > 1 || want == 0) && (want > 0 || !sent) {
		r.problem(at("review_configs"), countCode(n, want),
			fmt.Sprintf("must be one for all actions or one for each of the %d, not %d", want, n))
	}
	switch {
	case c.TargetType == "plan" && c.PlanID != "" && c.PlanID != c.TargetID:
		r.problem(at("plan_id"), "const", "must be target_id, the plan that the confirm is for")
	case c.TargetType == "other" && c.StepID != "" && c.PlanID == "":
		r.warn(at("step_id"), "unbound", "binds to no step without plan_id")
	}
}

func countCode(have, want int) string {
	if have < want {
		return "min_items"
	}
	return "max_items"
}
