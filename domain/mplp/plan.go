package mplp

import "fmt"

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

// maxIndex is the largest integer that every JSON reader holds exactly.
const maxIndex = 1<<53 - 1

// ParseStoredPlan reads a plan that was held to limits when it came in.
func ParseStoredPlan(data []byte) (*Plan, error) { return ParsePlan(data, stored) }

// ParsePlan reads a plan and validates its graph: ids are unique, dependencies
// stay within the plan, and there is no cycle. Errors are *SyntaxError or
// *Invalid.
func ParsePlan(data []byte, l Limits) (*Plan, error) {
	r, o, err := openDocument(data, l)
	if err != nil {
		return nil, err
	}
	p := &Plan{Native: o, Status: "draft"}
	r.warnFilled(o, "", "meta")
	r.warnFilled(o, "", "status")
	r.members("", o, fields{
		{"meta", anyObject},
		{"events", events},
		{"governance", readGovernance(&p.Locked)},
		{"trace", readTrace(&p.Trace)},
		{"plan_id", id(&p.ID)},
		{"context_id", id(&p.ContextID)},
		{"title", filledTitle(&p.Title)},
		{"objective", filledDescribed(&p.Objective)},
		{"status", oneOf(&p.Status, planStatuses...)},
		{"steps", p.readSteps},
	}, "context_id", "title", "objective", "steps")
	validateDAG(r, p.Steps)
	p.Warnings = r.warnings
	return result(r, p)
}

func (p *Plan) readSteps(v value) {
	list := v.elements()
	switch {
	case list != nil && len(list) == 0:
		v.problem("sa_plan_min_steps", "a plan must have at least one step")
	case len(list) > v.r.limits.Steps:
		v.problem("limit", fmt.Sprintf("must have at most %d steps", v.r.limits.Steps))
		return
	}
	edges := 0
	for _, e := range list {
		s := Step{Status: "pending"}
		if o := e.object(); o != nil {
			s.read(e, o)
		}
		if edges += len(s.Dependencies); edges > v.r.limits.Edges {
			v.problem("limit", fmt.Sprintf("must have at most %d dependencies", v.r.limits.Edges))
			p.Steps = nil
			return
		}
		p.Steps = append(p.Steps, s)
	}
}

func (s *Step) read(v value, o *Object) {
	v.r.warnFilled(o, v.path, "status")
	v.r.members(v.path, o, fields{
		{"step_id", id(&s.ID)},
		{"description", filledDescribed(&s.Description)},
		{"status", oneOf(&s.Status, stepStatuses...)},
		{"dependencies", s.readDependencies},
		{"agent_role", title(&s.AgentRole)},
		{"order_index", whole(&s.OrderIndex, 0, maxIndex)},
	}, "step_id", "description")
}

func (s *Step) readDependencies(v value) {
	for _, e := range v.elements() {
		dependency, _ := e.filledTitle()
		s.Dependencies = append(s.Dependencies, dependency)
	}
}
