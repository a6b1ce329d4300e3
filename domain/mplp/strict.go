package mplp

import "fmt"

var moduleForms = map[string]objectForm{
	"confirm": confirmForm,
	"plan":    planForm,
	"role":    roleForm,
	"context": contextForm,
	"trace":   traceObjectForm,
}

// ValidateStrict checks an object of a module (confirm, plan, role, context or trace)
// against the official schema and, for plans, the rules of the graph. Nothing is
// filled, and only a byte order mark and a top-level "$comment" are dropped. Errors are
// *SyntaxError or *Invalid, or say that the module is unknown.
func ValidateStrict(module string, data []byte, l Limits) error {
	f, ok := moduleForms[module]
	if !ok {
		return fmt.Errorf("there is no strict form of a %s", module)
	}
	r, o, err := openDocument(data, l)
	if err != nil {
		return err
	}
	if steps, _ := o.Get("steps"); module == "plan" && !isNotArray(steps) {
		list := elements(steps)
		if len(list) > l.Steps {
			r.problem("steps", "limit", fmt.Sprintf("must have at most %d steps", l.Steps))
			return r.err()
		}
		f.checkMembers(r, "", o)
		r.checkSteps(list)
		return r.err()
	}
	f.checkMembers(r, "", o)
	return r.err()
}

// checkSteps checks the steps of a plan for what no schema can say.
func (r *reader) checkSteps(list []Raw) {
	if len(list) == 0 {
		r.problem("steps", "sa_plan_min_steps", "a plan must have at least one step")
	}
	steps, edges := make([]Step, len(list)), 0
	for i, raw := range list {
		if raw[0] != '{' {
			continue
		}
		step := split(raw)
		steps[i].ID = textMember(step, "step_id")
		dependencies, _ := step.Get("dependencies")
		if isNotArray(dependencies) {
			continue
		}
		for _, raw := range elements(dependencies) {
			dependency, _ := unquote(raw)
			steps[i].Dependencies = append(steps[i].Dependencies, dependency)
		}
		edges += len(steps[i].Dependencies)
	}
	if edges > r.limits.Edges {
		r.problem("steps", "limit", fmt.Sprintf("must have at most %d dependencies", r.limits.Edges))
		return
	}
	validateDAG(r, steps)
}

func isNotArray(raw Raw) bool { return len(raw) == 0 || raw[0] != '[' }
