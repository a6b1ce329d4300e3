package mplp

import (
	"fmt"
	"slices"
	"strings"
)

// validateDAG checks the graph of the steps' dependencies in time linear in steps and
// dependencies. Empty ids were reported already and are skipped.
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
	if takeReady(waiting, dependants); slices.ContainsFunc(waiting, isWaiting) {
		r.problem("steps", "sa_plan_dag_acyclic", "Cyclic dependency detected") // the protocol's words
		r.notes = append(r.notes, Warning{"steps", "cycle", cycleWords(steps, findCycle(steps, at, waiting))})
	}
}

// takeReady removes the steps that wait for nothing until none is left (Kahn's
// algorithm). A recursive search could exhaust the stack on a long chain. Remaining
// steps are in a cycle, or wait for one.
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

// isWaiting reports whether a step with n open dependencies still waits.
func isWaiting(n int) bool { return n > 0 }

// findCycle follows open dependencies until it comes back to a step.
func findCycle(steps []Step, at map[string]int, waiting []int) []int {
	var path []int
	seen := map[int]int{} // position in the path by step
	for i := slices.IndexFunc(waiting, isWaiting); ; {
		if first, closed := seen[i]; closed {
			return path[first:]
		}
		seen[i] = len(path)
		path = append(path, i)
		i = at[steps[i].Dependencies[slices.IndexFunc(steps[i].Dependencies, func(id string) bool {
			d, known := at[id]
			return known && isWaiting(waiting[d])
		})]]
	}
}

// cycleNamed is how many steps of a cycle a message names.
const cycleNamed = 8

// cycleWords names the steps of a cycle, in the style of the protocol's messages.
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
