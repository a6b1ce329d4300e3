package mplp

import "fmt"

// validateDAG checks the graph that the steps' dependencies make, in time
// linear in steps and dependencies. Empty ids are a fault already and take no
// part.
func validateDAG(r *reader, steps []Step) {
	at := make(map[string]int, len(steps))
	for i, s := range steps {
		if s.ID == "" {
			continue
		}
		if _, taken := at[s.ID]; taken {
			r.problem(fmt.Sprintf("steps[%d].step_id", i), "sa_plan_step_unique_ids", "another step has this id")
			continue
		}
		at[s.ID] = i
	}
	waiting := make([]int, len(steps)) // how many dependencies of a step are still open
	dependants := make([][]int, len(steps))
	for i, s := range steps {
		for j, dependency := range s.Dependencies {
			d, ok := at[dependency]
			if dependency == "" {
				continue
			}
			if !ok {
				r.problem(fmt.Sprintf("steps[%d].dependencies[%d]", i, j), "reference",
					fmt.Sprintf("Step %s depends on non-existent %s", s.ID, shorten(dependency)))
				continue
			}
			waiting[i]++
			dependants[d] = append(dependants[d], i)
		}
	}
	if cyclic(waiting, dependants) {
		r.problem("steps", "sa_plan_dag_acyclic", "Cyclic dependency detected")
	}
}

// cyclic takes away the steps that wait for nothing until none is left, as
// Kahn does. A recursive search would let a long chain of steps exhaust the
// stack. It uses waiting up.
func cyclic(waiting []int, dependants [][]int) bool {
	var ready []int
	for i, n := range waiting {
		if n == 0 {
			ready = append(ready, i)
		}
	}
	left := len(waiting)
	for ; len(ready) > 0; left-- {
		i := ready[len(ready)-1]
		ready = ready[:len(ready)-1]
		for _, d := range dependants[i] {
			if waiting[d]--; waiting[d] == 0 {
				ready = append(ready, d)
			}
		}
	}
	return left > 0
}
