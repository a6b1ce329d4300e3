package api_test

import (
	"net/http"
	"strings"
	"testing"
)

// TestC52_ConfirmIsGivenBack posts the examples verbatim and gets them back.
func TestC52_ConfirmIsGivenBack(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"s000-L237-confirm", "s002-L026-confirm"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newServer(t)
			agent := s.agent("executor")
			sent := example(t, name)
			posted := agent.post("/confirms", sent).want(http.StatusCreated)
			posted.gives(sent)
			agent.get("/confirms/" + posted.text("confirm_id")).want(http.StatusOK).gives(sent)
			if !strings.Contains(posted.header.Get("Countersign-Warnings"), `"unregistered"`) {
				t.Errorf("no warning about the unregistered role: %q", posted.header.Get("Countersign-Warnings"))
			}
		})
	}
}

// TestR24_RoleIsGivenBack: its name is a seeded role's, which has to go first.
func TestR24_RoleIsGivenBack(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	admin := s.agent("admin")
	sent := example(t, "s001-L199-role")
	admin.post("/roles", sent).problem(http.StatusConflict, "id-taken")
	admin.do(http.MethodDelete, "/roles/architect", "").want(http.StatusNoContent)
	admin.post("/roles", sent).want(http.StatusCreated).gives(sent)
	admin.get("/roles/role-architect-550e8400").want(http.StatusOK).gives(sent)
	admin.get("/roles/architect").want(http.StatusOK).gives(sent)
}

func TestP35_PlanIsGivenBack(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	agent := s.agent("planner")
	sent := example(t, "s003-L228-plan")
	agent.post("/plans", sent).want(http.StatusCreated).gives(sent)
	agent.get("/plans/plan-550e8400-e29b-41d4-a716-446655440001").want(http.StatusOK).gives(sent)
	agent.post("/plans", sent).want(http.StatusOK).gives(sent)
}

func TestR17_ContextIsGivenBack(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	agent := s.agent("architect")
	sent := example(t, "s001-L118-context")
	agent.post("/contexts", sent).want(http.StatusCreated).gives(sent, "meta", "status", "created_at", "updated_at")
	agent.get("/contexts/ctx-123").want(http.StatusOK).gives(sent, "meta", "status", "created_at", "updated_at")
}

func TestF10_PatchAppendsTheDecision(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	agent := s.agent("executor")
	reviewer := s.decider("finance", s.role("finance-admin-human", "confirm.approve"))
	confirm := agent.post("/confirms", example(t, "s002-L026-confirm")).want(http.StatusCreated)
	patch := func(body, hash string) reply {
		return reviewer.do(http.MethodPatch, "/confirms/conf-8829-x1", body, "If-Match", hash)
	}

	patch(example(t, "s002-L048-decisions"), "").problem(http.StatusUnprocessableEntity, "invalid").fault("If-Match", "required")
	patch(example(t, "s002-L048-decisions"), `"sha256:12"`).problem(http.StatusUnprocessableEntity, "invalid").fault("If-Match", "pattern")
	patch(strings.Replace(example(t, "s002-L048-decisions"), `"status": "approved"
}`, `"status":"rejected"}`, 1), confirm.header.Get("ETag")).problem(http.StatusUnprocessableEntity, "invalid").fault("status", "const")

	decided := patch(example(t, "s002-L048-decisions"), confirm.header.Get("ETag")).want(http.StatusOK)
	decided.gives(strings.Replace(example(t, "s002-L026-confirm"), `"pending"`, `"approved"`, 1), "decisions", "events")
	for _, want := range []string{`"decision_id":"dec-441-z9"`, `"reason":"Verified transaction details with vendor."`, `"decided_by_role":"finance-admin-human"`} {
		if !strings.Contains(decided.body, want) {
			t.Errorf("no %s in %s", want, decided.body)
		}
	}
	if warnings := decided.header.Get("Countersign-Warnings"); !strings.Contains(warnings, "decided_at") {
		t.Errorf("no warning that the client's time was dropped: %q", warnings)
	}
}

// TestA8_CommandsDecide carries out each of the approval flow's commands on its
// request.
func TestA8_CommandsDecide(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, command, status, contains string }{
		{"approve", "s004-L081-approval", "approved", `"decisions":[{"type":"approve","args_hash":`},
		{"reject", "s004-L094-approval", "rejected", `"decisions":[{"type":"reject","args_hash":`},
		{"edit", "s004-L107-approval", "approved", `"edited_action":{"name":"execute_trade","args":{"symbol":"VNM","quantity":50,"side":"buy","price":82000}}`},
		{"with words", "s004-L129-approval", "approved", `"user_edit_content":"OK nhưng chỉ mua 50 cổ thôi"`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := newServer(t)
			agent, reviewer := s.agent("executor"), s.decider("alpha", "reviewer")
			agent.post("/approvals", example(t, "s004-L035-content_block_start")).want(http.StatusCreated)
			answer := reviewer.post("/approvals/abc-123_1", example(t, tt.command)).want(http.StatusOK)
			heard := agent.get("/approvals/abc-123_1?wait=60").want(http.StatusOK)
			if answer.body != heard.body {
				t.Errorf("the decider is told %s, the agent %s", answer.body, heard.body)
			}
			if got := heard.text("status"); got != tt.status {
				t.Errorf("status %s, want %s", got, tt.status)
			}
			if !strings.Contains(heard.body, tt.contains) {
				t.Errorf("no %s in %s", tt.contains, heard.body)
			}
		})
	}
}

// TestA15_TwoDecisions answers a request of two actions with the approval
// flow's two decisions.
func TestA15_TwoDecisions(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	agent, reviewer := s.agent("executor"), s.decider("alpha", "reviewer")
	agent.post("/approvals", `{"approval_key":"abc-123_2",`+twoCalls[1:]).want(http.StatusCreated)
	answer := reviewer.post("/approvals/abc-123_2", example(t, "s004-L145-decisions")).want(http.StatusOK)
	if got := answer.text("status"); got != "rejected" {
		t.Errorf("status %s, want rejected: one action is", got)
	}
}

// TestC8_ConfirmWithoutTargetIsRefused posts the role module's fragment of a
// confirm.
func TestC8_ConfirmWithoutTargetIsRefused(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	refused := s.agent("executor").post("/confirms", example(t, "s001-L133-confirm")).problem(http.StatusUnprocessableEntity, "invalid")
	for _, path := range []string{`"target_type"`, `"target_id"`} {
		if !strings.Contains(refused.body, `{"path":`+path+`,"code":"required"`) {
			t.Errorf("no error at %s in %s", path, refused.body)
		}
	}
}
