package mplp

// Plan is a plan as an agent posts it. Status defaults to draft.
type Plan struct {
	ID, ContextID, Title, Objective, Status string
	Steps                                   []Step // in the order sent
	Locked                                  bool   // governance.locked
	Trace                                   *Trace
	Native                                  *Object // as sent, without "$comment"
	Warnings                                []Warning
}

// Step is one step of a plan. Status defaults to pending.
type Step struct {
	ID, Description, Status string
	Dependencies            []string
	AgentRole               string
	OrderIndex              *int64
}

// ParsePlan reads a plan and validates its graph: ids are unique, dependencies
// stay within the plan, and there is no cycle (requirements P-17 to P-20,
// P-22, P-24, P-25). Errors are *SyntaxError or *Invalid.
func ParsePlan(data []byte, l Limits) (*Plan, error) { panic("not yet") }
