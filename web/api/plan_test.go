package api_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestPlan_LifeUntilApproved(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	agent, reviewer := s.agent("planner"), s.decider("alpha", "reviewer")
	posted := agent.post("/plans", draft).want(http.StatusCreated)
	if got := posted.header.Get("Location"); got != "/api/v1/plans/plan-1" {
		t.Errorf("Location %q", got)
	}
	if posted.text("status") != "draft" || strings.Count(posted.body, `"status":"pending"`) != 2 {
		t.Errorf("posted as %s", posted.body)
	}
	if got := posted.header.Get("Countersign-Warnings"); !strings.Contains(got, `"context_id"`) {
		t.Errorf("no warning about the unknown context: %q", got)
	}
	if again := agent.post("/plans", draft).want(http.StatusOK); again.body != posted.body {
		t.Errorf("repeated: %s", again.body)
	}
	agent.post("/plans", strings.Replace(draft, "Read", "Look", 1)).problem(http.StatusConflict, "id-taken")

	revised := agent.do(http.MethodPut, "/plans/plan-1", strings.Replace(draft, "Read", "Look", 1)).want(http.StatusOK)
	if !strings.Contains(revised.body, "Look") || revised.body != agent.get("/plans/plan-1").want(http.StatusOK).body {
		t.Errorf("revised as %s", revised.body)
	}
	agent.do(http.MethodPut, "/plans/plan-1", strings.Replace(draft, "plan-1", "plan-2", 1)).
		problem(http.StatusUnprocessableEntity, "invalid").fault("plan_id", "const")

	confirm := agent.post("/plans/plan-1/propose", "").want(http.StatusCreated)
	if got := confirm.header.Get("Location"); got != "/api/v1/confirms/"+confirm.text("confirm_id") {
		t.Errorf("Location %q", got)
	}
	if got, want := confirm.text("reason"), "Requesting approval for plan: Fix the login"; got != want {
		t.Errorf("reason %q, want %q", got, want)
	}
	agent.post("/plans/plan-1/propose", "").problem(http.StatusConflict, "invalid-transition")
	agent.do(http.MethodPut, "/plans/plan-1", draft).problem(http.StatusConflict, "invalid-transition")

	reviewer.decide(confirm, "approved").want(http.StatusCreated)
	if got := agent.get("/plans/plan-1").want(http.StatusOK).text("status"); got != "approved" {
		t.Errorf("status %s after the approval", got)
	}
	agent.post("/plans/plan-1/cancel", "").problem(http.StatusConflict, "invalid-transition")
}

func TestPlan_ProposeSaysMore(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	agent := s.agent("planner")
	agent.post("/plans", draft).want(http.StatusCreated)
	agent.post("/plans/plan-1/propose", `{"reason":"again","required_role":"nobody"}`).problem(http.StatusUnprocessableEntity, "invalid").fault("required_role", "reference")
	agent.post("/plans/plan-1/propose", `{"timeout":0}`).problem(http.StatusUnprocessableEntity, "invalid").fault("timeout", "limit")
	confirm := agent.post("/plans/plan-1/propose", `{"reason":"again","required_role":"reviewer","timeout":60}`).want(http.StatusCreated)
	if confirm.text("reason") != "again" || confirm.text("required_role") != "reviewer" {
		t.Errorf("the confirm is %s", confirm.body)
	}
	if got := agent.get("/confirms/" + confirm.text("confirm_id") + "/outcome").text("expires_at"); got != "2026-01-02T03:05:05.000Z" {
		t.Errorf("it expires at %q", got)
	}
}

func TestPlan_CancelDraft(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	agent := s.agent("planner")
	agent.post("/plans", draft).want(http.StatusCreated)
	if got := agent.post("/plans/plan-1/cancel", `{"reason":"no longer"}`).want(http.StatusOK).text("status"); got != "cancelled" {
		t.Errorf("status %s after cancelling", got)
	}
}

func TestPlan_List(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	agent, stranger := s.agent("planner"), s.decider("other", "planner")
	for _, id := range []string{"plan-1", "plan-2", "plan-3"} {
		agent.post("/plans", strings.Replace(draft, "plan-1", id, 1)).want(http.StatusCreated)
	}
	first := agent.get("/plans?limit=2").want(http.StatusOK)
	rest := agent.get("/plans?limit=2&cursor=" + first.text("next_cursor")).want(http.StatusOK)
	if got := append(first.ids("plan_id"), rest.ids("plan_id")...); len(got) != 3 {
		t.Errorf("the pages hold %v", got)
	}
	if diff := cmp.Diff(`{"items":[],"next_cursor":null}`+"\n", stranger.get("/plans").want(http.StatusOK).body); diff != "" {
		t.Errorf("a stranger's list (-want +got):\n%s", diff)
	}
}

// TestP25_FaultsOfTheGraph names the invariants.
func TestP25_FaultsOfTheGraph(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	agent := s.agent("planner")
	tests := []struct{ name, steps, path, code string }{
		{"no steps", `[]`, "steps", "sa_plan_min_steps"},
		{"twice the same id", `[{"step_id":"a","description":"x"},{"step_id":"a","description":"y"}]`, "steps[1].step_id", "sa_plan_step_unique_ids"},
		{"cycle", `[{"step_id":"a","description":"x","dependencies":["a"]}]`, "steps", "sa_plan_dag_acyclic"},
		{"unknown dependency", `[{"step_id":"a","description":"x","dependencies":["b"]}]`, "steps[0].dependencies[0]", "reference"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			agent.on(t).post("/plans", `{"context_id":"c","title":"t","objective":"o","steps":`+tt.steps+`}`).
				problem(http.StatusUnprocessableEntity, "invalid").fault(tt.path, tt.code)
		})
	}
}
