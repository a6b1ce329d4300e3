package api_test

import (
	"net/http"
	"strings"
	"testing"
)

// TestC4_CanonicalForm projects what the examples leave on the server onto what
// the official schemas accept, and leaves the native form alone.
func TestC4_CanonicalForm(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	admin, reviewer := s.agent("admin"), s.decider("alpha", "reviewer")
	admin.do(http.MethodDelete, "/roles/architect", "").want(http.StatusNoContent)
	admin.post("/roles", example(t, "s001-L199-role")).want(http.StatusCreated)
	admin.post("/contexts", example(t, "s001-L118-context")).want(http.StatusCreated)
	admin.post("/plans", example(t, "s003-L228-plan")).want(http.StatusCreated)
	admin.post("/confirms", example(t, "s000-L237-confirm")).want(http.StatusCreated)
	admin.post("/confirms", example(t, "s002-L026-confirm")).want(http.StatusCreated)
	admin.post("/traces", `{"trace_id":"trace-990-def","context_id":"ctx-1"}`).want(http.StatusCreated)
	request := admin.post("/approvals", example(t, "s004-L035-content_block_start")).want(http.StatusCreated)
	reviewer.post("/approvals/abc-123_1", example(t, "s004-L107-approval")).want(http.StatusOK)

	module := func(name string) string { return "https://schemas.mplp.dev/v1.0/mplp-" + name + ".schema.json" }
	tests := []struct{ name, module, path, contains string }{
		{"S0's confirm", "confirm", "/confirms/confirm-550e8400-e29b-41d4-a716-446655440004", `"confirm_id":"550e8400-e29b-41d4-a716-446655440004"`},
		{"S2's confirm", "confirm", "/confirms/conf-8829-x1", `"native_ids"`},
		{"S4's request, decided", "confirm", "/confirms/" + request.text("confirm_id"), `"quantity":50`},
		{"S1's role", "role", "/roles/role-architect-550e8400", `"architect"`},
		{"S1's context", "context", "/contexts/ctx-123", `"role-architect-001"`},
		{"S3's plan", "plan", "/plans/plan-550e8400-e29b-41d4-a716-446655440001", `"plan_id":"550e8400-e29b-41d4-a716-446655440001"`},
		{"a trace", "trace", "/traces/trace-990-def", `"trace_id":`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			native := admin.on(t).get(tt.path).want(http.StatusOK)
			canonical := admin.on(t).get(tt.path + "?form=canonical").want(http.StatusOK)
			official(t, module(tt.module), canonical.body)
			if !strings.Contains(canonical.body, tt.contains) {
				t.Errorf("no %s in %s", tt.contains, canonical.body)
			}
			strict := admin.on(t).post("/validate/"+tt.module+"?mode=strict", canonical.body).want(http.StatusOK)
			if strict.member("valid") != true {
				t.Errorf("the server's own check says %s", strict.body)
			}
			if explicit := admin.on(t).get(tt.path + "?form=native").want(http.StatusOK); explicit.body != native.body || native.body == canonical.body {
				t.Errorf("native %s", explicit.body)
			}
			if native.header.Get("ETag") != canonical.header.Get("ETag") {
				t.Error("the ETag names the form, not the content")
			}
			admin.on(t).get(tt.path+"?form=official").problem(http.StatusUnprocessableEntity, "invalid").fault("form", "enum")

			list := tt.path[:strings.LastIndex(tt.path, "/")]
			if got := admin.on(t).get(list + "?form=canonical&limit=200").want(http.StatusOK); !strings.Contains(got.body, strings.TrimSpace(canonical.body)) {
				t.Errorf("the list has it otherwise: %s", got.body)
			}
		})
	}
}

// TestC5_StrictValidation is the official schema and the plan module's
// invariants, with nothing filled.
func TestC5_StrictValidation(t *testing.T) {
	t.Parallel()
	agent := newServer(t).agent("planner")
	tests := []struct{ name, module, body, contains string }{
		{"C-5 no meta", "confirm", `{}`, `{"path":"meta","code":"required"`},
		{"C-11 no time", "confirm", `{"requested_at":"not-a-date"}`, `{"path":"requested_at","code":"format"`},
		{"C-18 empty decision", "confirm", `{"decisions":[{}]}`, `{"path":"decisions[0].decided_at","code":"required"`},
		{"C-51 opaque id", "confirm", `{"target_id":"plan-123"}`, `{"path":"target_id","code":"pattern"`},
		{"product member", "confirm", toolCall, `{"path":"actions","code":"unknown"`},
		{"R-3a no meta", "role", `{"name":"x"}`, `{"path":"meta","code":"required"`},
		{"P-3a no meta", "plan", draft, `{"path":"meta","code":"required"`},
		{"P-20 dangling", "plan", strings.Replace(draft, `"s1"]`, `"s9"]`, 1), `Step s2 depends on non-existent s9`},
		{"P-20 cycle, named beside it", "plan", strings.Replace(draft, `"s1"]`, `"s2"]`, 1), `"code":"sa_plan_dag_acyclic","message":"Cyclic dependency detected"}],"warnings":[{"path":"steps","code":"cycle","message":"Step s2 depends on s2."}]`},
		{"context", "context", `{}`, `{"path":"meta","code":"required"`},
		{"trace", "trace", `{}`, `{"path":"meta","code":"required"`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := agent.on(t).post("/validate/"+tt.module+"?mode=strict", tt.body).want(http.StatusOK)
			if got.member("valid") != false || !strings.Contains(got.body, tt.contains) || strings.Contains(got.body, `"filled"`) {
				t.Errorf("answered %s, want %s", got.body, tt.contains)
			}
		})
	}
	agent.post("/validate/confirm?mode=strict", `{"a":1,"a":2}`).problem(http.StatusBadRequest, "invalid-json")
	agent.post("/validate/dialog?mode=strict", `{}`).problem(http.StatusNotFound, "not-found")
}
