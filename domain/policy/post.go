package policy

import (
	"encoding/json"
	"time"

	"cel.dev/cel-go/cel"
)

// Post is a request as it was posted, as far as policies look at it. Roles and keys are
// named by their ids.
type Post struct {
	TargetType, TargetID, StepID string
	Reason                       string
	Key                          string   // that posts; empty: a user does
	Name                         string   // of the requester
	Owner                        string   // of the key; empty: none
	Roles                        []string // that the requester holds
	Plan                         *Plan    // that it concerns; nil: none
	Actions                      []Action
	RequiredRole                 string // that the agent asked for; may be empty
	Timeout                      int64  // seconds that the agent asked for; 0: none
	ReceivedAt                   time.Time
}

// Plan is the plan that a request concerns.
type Plan struct {
	Title, ContextID string
	Steps            []Step
}

// Step is one step of a plan.
type Step struct{ ID, Description, Role string }

// Action is one tool call. Args is an object, read strictly before.
type Action struct {
	Name string
	Args json.RawMessage

	decoded any // nil: not yet
}

// Decode decodes the arguments, which Resolve does otherwise: callers may not want to
// spend the time in a transaction.
func (a *Action) Decode() { a.decoded = decode(a.Args) }

// request is a post whose arguments are decoded, while policies look at it.
type request struct {
	*Post
	args    []any
	actions []any
	plan    any
	spent   uint64 // cost of all conditions so far
}

func newRequest(p *Post) *request {
	r := &request{Post: p}
	for _, a := range p.Actions {
		args := a.decoded
		if args == nil {
			args = decode(a.Args)
		}
		r.args = append(r.args, args)
		r.actions = append(r.actions, map[string]any{"name": a.Name, "args": args})
	}
	if p.Plan != nil {
		steps := make([]any, len(p.Plan.Steps))
		for i, s := range p.Plan.Steps {
			steps[i] = map[string]any{"id": s.ID, "description": s.Description, "role": s.Role}
		}
		r.plan = map[string]any{"title": p.Plan.Title, "context_id": p.Plan.ContextID, "steps": steps}
	}
	return r
}

// variables are those of a condition for one action of a request; -1: it has none.
type variables struct {
	*request
	action int
}

func (v variables) Parent() cel.Activation { return nil }

func (v variables) ResolveName(name string) (any, bool) {
	switch name {
	case "tool":
		if v.action >= 0 {
			return v.Actions[v.action].Name, true
		}
	case "args":
		if v.action >= 0 {
			return v.args[v.action], true
		}
	case "actions":
		return v.actions, true
	case "target_type":
		return v.TargetType, true
	case "target_id":
		return v.TargetID, true
	case "step_id":
		return v.StepID, true
	case "plan":
		return v.plan, v.plan != nil
	case "requester":
		return v.requester(), true
	case "reason":
		return v.Reason, true
	case "now":
		return v.ReceivedAt, true
	}
	return nil, false
}

func (v variables) requester() map[string]any {
	m := map[string]any{"name": v.Name, "roles": v.Roles}
	if v.Owner != "" {
		m["owner"] = v.Owner
	}
	return m
}
