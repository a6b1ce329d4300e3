package mplp

import (
	"encoding/json"
	"fmt"
	"testing"
)

// FuzzPlanDAG reads bytes as a small plan, two for each edge, and holds its
// validation to the plan module's own function.
func FuzzPlanDAG(f *testing.F) {
	for _, seed := range []string{"", "\x01\x00", "\x01\x01", "\x01\x00\x00\x01", "\x01\x00\x02\x01\x00\x02", "\x05\xff", "\x01\x00\x02\x00\x03\x01\x03\x02"} {
		f.Add([]byte(seed), uint8(4))
	}
	f.Fuzz(func(t *testing.T, edges []byte, count uint8) {
		steps := make([]oracleStep, 1+int(count%12))
		for i := range steps {
			steps[i] = oracleStep{ID: fmt.Sprintf("s%d", i), Description: "d"}
		}
		seen := map[[2]int]bool{}
		for ; len(edges) > 1; edges = edges[2:] {
			from, to := int(edges[0])%len(steps), int(edges[1])%(len(steps)+1) // one beyond is no step
			if seen[[2]int{from, to}] {
				continue
			}
			seen[[2]int{from, to}] = true
			steps[from].Dependencies = append(steps[from].Dependencies, fmt.Sprintf("s%d", to))
		}
		text, err := json.Marshal(map[string]any{"context_id": "c", "title": "t", "objective": "o", "steps": steps})
		if err != nil {
			t.Fatal(err)
		}
		want, found := validatePlanDAG(steps)
		if _, err := ParsePlan(text, DefaultLimits); (err == nil) != want {
			t.Errorf("%s: %v, and the protocol says %v %v", text, err, want, found)
		}
	})
}
