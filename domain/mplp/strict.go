package mplp

import "fmt"

var moduleForms = map[string]objectForm{
	"confirm": confirmForm,
	"plan":    planForm,
	"role":    roleForm,
	"context": contextForm,
	"trace":   traceObjectForm,
}

// ValidateStrict says what is wrong with an object of a module (confirm, plan,
// role, context or trace) by the official schema and, for plans, by the
// invariants of requirements P-17 to P-25. It does not fill, allow or drop
// anything but a byte order mark and a top-level "$comment" (requirements,
// contradiction 40). It finds at most [MaxProblems]. Errors are *SyntaxError,
// or say that there is no such module.
func ValidateStrict(module string, data []byte, l Limits) ([]Problem, error) {
	f, ok := moduleForms[module]
	if !ok {
		return nil, fmt.Errorf("there is no strict form of a %s", module)
	}
	r, o, err := open(data, l)
	if err != nil {
		return nil, err
	}
	steps, _ := o.Get("steps")
	if module != "plan" || isNotArray(steps) {
		f.checkMembers(r, "", o)
		return r.problems, nil
	}
	list := elements(steps)
	if len(list) > l.Steps {
		r.problem("steps", "limit", fmt.Sprintf("must have at most %d steps", l.Steps))
		return r.problems, nil
	}
	f.checkMembers(r, "", o)
	r.checkSteps(list)
	return r.problems, nil
}

// checkSteps holds the steps of a plan to what no schema can say.
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
		steps[i].ID = textOf(step, "step_id")
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
