package api_test

import (
	"net/http"
	"strings"
	"testing"
)

// TestC47_C48_TypeScriptConfirms posts what S0's createConfirm gives: nine
// members at most, and no reason where there is none.
func TestC47_C48_TypeScriptConfirms(t *testing.T) {
	t.Parallel()
	const head = `{"meta":{"protocolVersion":"1.0.0"},"confirm_id":"8f14e45f-ceea-467f-a0e6-d8d2a5b2c3d1","target_type":"plan","target_id":"plan-123",` +
		`"status":"pending","requested_by_role":"role-planner-001","requested_at":"2025-12-07T00:00:00.000Z"`
	tests := []struct{ name, body string }{
		{"C-47 all nine members", head + `,"reason":"Requesting approval","decisions":[]}`},
		{"C-48 without a reason", head + `}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			agent := newServer(t).agent("planner")
			agent.on(t).post("/confirms", tt.body).want(http.StatusCreated).gives(tt.body)
			agent.on(t).get("/confirms/8f14e45f-ceea-467f-a0e6-d8d2a5b2c3d1").want(http.StatusOK).gives(tt.body)
		})
	}
}

// TestC49_ConfirmsAreNotPut sends the object that S0's addDecision changes back
// to its address.
func TestC49_ConfirmsAreNotPut(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	agent, reviewer := s.agent("executor"), s.decider("alpha", "reviewer")
	confirm := agent.post("/confirms", toolCall).want(http.StatusCreated)
	path := "/confirms/" + confirm.text("confirm_id")
	mutated := strings.Replace(confirm.body, `"pending"`, `"approved"`, 1)
	for _, by := range []*client{agent, reviewer} {
		if got := by.do(http.MethodPut, path, mutated); got.status != http.StatusMethodNotAllowed {
			t.Errorf("PUT answers %d %s", got.status, got.body)
		}
	}
	agent.post("/confirms", mutated).problem(http.StatusConflict, "id-taken")
	if got := agent.get(path).text("status"); got != "pending" {
		t.Errorf("status %s", got)
	}
}
