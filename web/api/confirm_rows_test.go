package api_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// TestC47_C48_TypeScriptConfirms posts what the confirm module's createConfirm
// gives: nine members at most, and no reason where there is none.
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

// TestC49_ConfirmsAreNotPut sends the object that the confirm module's
// addDecision changes back to its address.
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

// TestC12_C14_C15_WhatWasSentComesBack posts the optional members and decides.
func TestC12_C14_C15_WhatWasSentComesBack(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	agent, reviewer := s.agent("executor"), s.decider("alpha", "reviewer")
	sent := `{"confirm_id":"c-1","trace":{"trace_id":"trace-1","span_id":"span-1"},"events":[{"event_type":"agent.paused","n":1},{"event_type":"agent.asked"}],` + toolCall[1:]
	posted := agent.post("/confirms", sent).want(http.StatusCreated)
	agent.post("/confirms", toolCall).want(http.StatusCreated)
	for _, query := range []string{"trace_id=trace-1", "status=pending&trace_id=trace-1"} {
		if diff := cmp.Diff([]string{"c-1"}, agent.get("/confirms?"+query).want(http.StatusOK).ids("confirm_id")); diff != "" {
			t.Errorf("C-14: ?%s (-want +got):\n%s", query, diff)
		}
	}
	reviewer.decide(posted, "approved").want(http.StatusCreated)
	object := agent.get("/confirms/c-1").want(http.StatusOK)
	if got := object.text("reason"); got != "Buy low" {
		t.Errorf("C-12: reason %q", got)
	}
	var types []string
	for _, event := range object.member("events").([]any) {
		types = append(types, event.(map[string]any)["event_type"].(string))
	}
	if diff := cmp.Diff([]string{"agent.paused", "agent.asked", "confirm.approved"}, types); diff != "" {
		t.Errorf("C-15: events (-want +got):\n%s", diff)
	}
}

// TestC10_RequesterDefaultsToARoleOfTheKey leaves requested_by_role out: the
// first of the key's roles that allows it is taken.
func TestC10_RequesterDefaultsToARoleOfTheKey(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	agent := s.agent(s.role("idle", "collab.join"), "tester", "executor")
	if got := agent.post("/confirms", toolCall).want(http.StatusCreated).text("requested_by_role"); got != "tester" {
		t.Errorf("requested by %q, want tester", got)
	}
	agent.post("/confirms", `{"requested_by_role":"reviewer",`+toolCall[1:]).problem(http.StatusForbidden, "role-not-held")
}

// TestC21_C22_DecisionIsTheServersRecord sends a role and a time of the
// decider's own making.
func TestC21_C22_DecisionIsTheServersRecord(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	agent, reviewer := s.agent("executor"), s.decider("alpha", "reviewer")
	confirm := agent.post("/confirms", toolCall).want(http.StatusCreated)
	decide := func(role string) reply {
		return reviewer.post("/confirms/"+confirm.text("confirm_id")+"/decisions", `{"status":"approved","decided_by_role":"`+role+
			`","decided_at":"1999-01-01T00:00:00Z","content_hash":`+confirm.header.Get("ETag")+`}`)
	}
	decide("admin").problem(http.StatusForbidden, "role-not-held")
	decide("nobody").problem(http.StatusForbidden, "role-not-held")
	s.pass(time.Minute)
	record := decide("reviewer").want(http.StatusCreated).member("decisions").([]any)[0].(map[string]any)
	if record["decided_by_role"] != "reviewer" || record["decided_at"] != "2026-01-02T03:05:05.000Z" {
		t.Errorf("the record is %v", record)
	}
}

// TestC26_SystemCancelsAndRejectsOnTimeoutOnly ends confirms without anybody.
func TestC26_SystemCancelsAndRejectsOnTimeoutOnly(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	agent := s.agent("planner", "executor")
	agent.post("/plans", draft).want(http.StatusCreated)
	orphan := agent.post("/confirms", `{"target_type":"plan","target_id":"plan-1"}`).want(http.StatusCreated)
	late := agent.post("/confirms", toolCall).want(http.StatusCreated)
	agent.post("/plans/plan-1/cancel", "").want(http.StatusOK)
	s.pass(300 * time.Second)
	for _, tt := range []struct {
		name, status, cause string
		confirm             reply
	}{
		{"C-26 its plan has ended", "cancelled", "cancelled", orphan},
		{"C-26 its time is over", "rejected", "timeout", late},
	} {
		o := agent.get("/confirms/" + tt.confirm.text("confirm_id") + "/outcome").want(http.StatusOK)
		if o.text("status") != tt.status || o.text("cause") != tt.cause || o.text("decided_by_role") != "system" {
			t.Errorf("%s: %s", tt.name, o.body)
		}
	}
}
