package mplp

import (
	"encoding/json"
	"testing"
)

func TestC6_CanonicalID(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, id, want string }{
		{"v4 stays", "550e8400-e29b-41d4-a716-446655440000", "550e8400-e29b-41d4-a716-446655440000"},
		{"upper case", "550E8400-E29B-41D4-A716-446655440000", "550e8400-e29b-41d4-a716-446655440000"},
		{"prefix", "plan-550e8400-e29b-41d4-a716-446655440000", "550e8400-e29b-41d4-a716-446655440000"},
		{"prefix of several words", "role-x-550E8400-e29b-41d4-a716-446655440000", "550e8400-e29b-41d4-a716-446655440000"},
		{"no prefix before the hyphen", "-550e8400-e29b-41d4-a716-446655440000", ""},
		{"prefix without hyphen", "plan:550e8400-e29b-41d4-a716-446655440000", ""},
		{"suffix", "550e8400-e29b-41d4-a716-446655440000-1", ""},
		{"v5", "550e8400-e29b-51d4-a716-446655440000", ""},
		{"other variant", "550e8400-e29b-41d4-c716-446655440000", ""},
		{"C-51 opaque", "plan-123", ""},
		{"multi-byte", "é-Å50e8400-e29b-41d4-a716-44665544000", ""},
		{"empty", "", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, other := CanonicalID("plan", tt.id), CanonicalID("context", tt.id)
			if !uuidShape.MatchString(got) {
				t.Fatalf("%q is no UUID v4", got)
			}
			if tt.want != "" && (got != tt.want || other != tt.want) {
				t.Errorf("got %s and %s, want %s", got, other, tt.want)
			}
			if tt.want == "" && got == other {
				t.Errorf("two modules share %s", got)
			}
			if again := CanonicalID("plan", got); again != got {
				t.Errorf("%s became %s", got, again)
			}
		})
	}
	// The hash is a promise: documents that were handed out refer to it.
	if got, want := CanonicalID("plan", "plan-123"), "7befdcd0-5e57-420e-9987-c8e524e60131"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestP6_StepsOfTwoPlans(t *testing.T) {
	t.Parallel()
	step := func(planID string) string {
		var plan struct {
			Steps []struct {
				StepID string `json:"step_id"`
			}
		}
		text, err := CanonicalPlan([]byte(`{"plan_id":"` + planID + `","context_id":"c1","title":"t","objective":"o","status":"draft","steps":[{"step_id":"s1","description":"d","status":"pending"}]}`))
		if err == nil {
			err = json.Unmarshal(text, &plan)
		}
		if err != nil || len(plan.Steps) != 1 || plan.Steps[0].StepID == "" {
			t.Fatalf("%s: %v", text, err)
		}
		return plan.Steps[0].StepID
	}
	if a, b := step("plan-1"), step("plan-2"); a == b {
		t.Errorf("s1 of two plans is %s", a)
	}
	if prefixed, bare := step("plan-"+hex550+"0"), step(hex550+"0"); prefixed != bare {
		t.Errorf("a step of the same plan is %s and %s", prefixed, bare)
	}
}
