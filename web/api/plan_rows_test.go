package api_test

import (
	"net/http"
	"strings"
	"testing"
)

// TestP3b_P4a_P37_PlanComesBack posts a trace with a plan, and the whole
// example.
func TestP3b_P4a_P37_PlanComesBack(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	agent := s.agent("planner")
	traced := `{"trace":{"trace_id":"trace-1","attributes":{"n":9007199254740993}},` + draft[1:]
	agent.post("/plans", traced).want(http.StatusCreated)
	agent.get("/plans/plan-1").want(http.StatusOK).gives(strings.ReplaceAll(traced, `","description"`, `","status":"pending","description"`), "meta", "status")
	agent.post("/plans", strings.Replace(traced, "Read", "Look", 1)).problem(http.StatusConflict, "id-taken")

	sent := example(t, "s003-L228-plan")
	agent.post("/plans", sent).want(http.StatusCreated).gives(sent)
	object := agent.get("/plans/plan-550e8400-e29b-41d4-a716-446655440001").want(http.StatusOK)
	object.gives(sent)
	done := 0
	steps := object.member("steps").([]any)
	for _, step := range steps {
		if step.(map[string]any)["status"] == "completed" {
			done++
		}
	}
	if done != 2 || len(steps) != 5 {
		t.Errorf("P-37: %d of %d steps are completed", done, len(steps))
	}
}
