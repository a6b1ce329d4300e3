package mplp

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// oracleStep is all of a step that the plan module's validation looks at.
type oracleStep struct {
	ID           string   `json:"step_id"`
	Description  string   `json:"description"`
	Dependencies []string `json:"dependencies,omitempty"`
}

// validatePlanDAG is the plan module's function of this name, line by line: the
// oracle that the server has to agree with. It recurses, so its plans are small.
func validatePlanDAG(steps []oracleStep) (valid bool, found []string) {
	stepIDs := map[string]bool{}
	for _, step := range steps {
		stepIDs[step.ID] = true
	}
	for _, step := range steps {
		for _, dependency := range step.Dependencies {
			if !stepIDs[dependency] {
				found = append(found, fmt.Sprintf("Step %s depends on non-existent %s", step.ID, dependency))
			}
		}
	}
	visited, recursionStack := map[string]bool{}, map[string]bool{}
	var hasCycle func(id string) bool
	hasCycle = func(id string) bool {
		if recursionStack[id] {
			return true
		}
		if visited[id] {
			return false
		}
		visited[id], recursionStack[id] = true, true
		if at := slices.IndexFunc(steps, func(s oracleStep) bool { return s.ID == id }); at >= 0 {
			for _, dependency := range steps[at].Dependencies {
				if hasCycle(dependency) {
					return true
				}
			}
		}
		delete(recursionStack, id)
		return false
	}
	for _, step := range steps {
		if hasCycle(step.ID) {
			found = append(found, "Cyclic dependency detected")
			break
		}
	}
	return len(found) == 0, found
}

// randomSteps are up to 24 steps. Most dependencies point back, so that about
// as many graphs are acyclic as are not; some name no step, or the step itself,
// or a step twice.
func randomSteps(r *rand.Rand) []oracleStep {
	steps := make([]oracleStep, 1+r.IntN(24))
	order := r.Perm(len(steps))
	for i := range steps {
		steps[i] = oracleStep{ID: fmt.Sprintf("s%d", i), Description: "d"}
	}
	wild := r.IntN(2) == 0
	for at, i := range order {
		for range r.IntN(4) {
			switch n := r.IntN(60); {
			case wild && n == 0:
				steps[i].Dependencies = append(steps[i].Dependencies, fmt.Sprintf("s%d", len(steps)+r.IntN(3)))
			case wild && n < 8:
				steps[i].Dependencies = append(steps[i].Dependencies, fmt.Sprintf("s%d", r.IntN(len(steps))))
			case at > 0:
				steps[i].Dependencies = append(steps[i].Dependencies, steps[order[r.IntN(at)]].ID)
			}
		}
	}
	return steps
}

// TestP17_P18_P20_AgreesWithTheSeed validates 10,000 random plans in both ways.
func TestP17_P18_P20_AgreesWithTheSeed(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(17, 20))
	seen := map[string]int{}
	for range 10_000 {
		steps := randomSteps(r)
		body, err := json.Marshal(map[string]any{"context_id": "c", "title": "t", "objective": "o", "steps": steps})
		if err != nil {
			t.Fatal(err)
		}
		valid, want := validatePlanDAG(steps)
		_, err = ParsePlan(body, DefaultLimits)
		var refused *Invalid
		if err != nil && !errors.As(err, &refused) {
			t.Fatal(err)
		}
		var got []string
		if refused != nil {
			for _, p := range refused.Problems {
				got = append(got, p.Message)
				seen[p.Code]++
			}
		}
		if diff := cmp.Diff(want, got); diff != "" || valid != (err == nil) {
			t.Fatalf("%s: valid %v (-protocol +server):\n%s", body, err == nil, diff)
		}
		if valid {
			seen["valid"]++
		}
	}
	for _, kind := range []string{"valid", "reference", "sa_plan_dag_acyclic"} {
		if seen[kind] < 1000 {
			t.Errorf("the plans are one-sided: %v", seen)
		}
	}
}
