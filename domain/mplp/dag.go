package mplp

import (
	"fmt"
	"slices"
	"strings"
)

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
					fmt.Sprintf("Step %s depends on non-existent %s", shorten(s.ID), shorten(dependency)))
				continue
			}
			waiting[i]++
			dependants[d] = append(dependants[d], i)
		}
	}
	if takeReady(waiting, dependants); slices.ContainsFunc(waiting, unmet) {
		r.problem("steps", "sa_plan_dag_acyclic", "Cyclic dependency detected") // the words of requirements P-20
		r.notes = append(r.notes, Warning{"steps", "cycle", cycleWords(steps, findCycle(steps, at, waiting))})
	}
}

// takeReady takes away the steps that wait for nothing until none is left, as Kahn
// does. A recursive search would let a long chain of steps exhaust the stack.
// What still waits then is in a cycle, or waits for one.
func takeReady(waiting []int, dependants [][]int) {
	var ready []int
	for i, n := range waiting {
		if n == 0 {
			ready = append(ready, i)
		}
	}
	for len(ready) > 0 {
		i := ready[len(ready)-1]
		ready = ready[:len(ready)-1]
		for _, d := range dependants[i] {
			if waiting[d]--; waiting[d] == 0 {
				ready = append(ready, d)
			}
		}
	}
}

// unmet says of a step with n open dependencies that it still waits.
func unmet(n int) bool { return n > 0 }

// findCycle follows what still waits for what until it comes back to a step.
func findCycle(steps []Step, at map[string]int, waiting []int) []int {
	var path []int
	seen := map[int]int{} // where in the path a step stands
	for i := slices.IndexFunc(waiting, unmet); ; {
		if first, closed := seen[i]; closed {
			return path[first:]
		}
		seen[i] = len(path)
		path = append(path, i)
		i = at[steps[i].Dependencies[slices.IndexFunc(steps[i].Dependencies, func(id string) bool {
			d, known := at[id]
			return known && unmet(waiting[d])
		})]]
	}
}

// cycleNamed is how many steps of a cycle are named.
const cycleNamed = 8

// cycleWords reads like the message about a dependency that does not exist.
func cycleWords(steps []Step, cycle []int) string {
	var words strings.Builder
	fmt.Fprintf(&words, "Step %s", shorten(steps[cycle[0]].ID))
	for n, i := range append(cycle[1:], cycle[0]) {
		if n == cycleNamed {
			fmt.Fprintf(&words, ", and so on through %d steps back to %s", len(cycle), shorten(steps[cycle[0]].ID))
			break
		}
		fmt.Fprintf(&words, " depends on %s", shorten(steps[i].ID))
		if n < len(cycle)-1 && n < cycleNamed-1 {
			words.WriteString(", which")
		}
	}
	return words.String() + "."
}
