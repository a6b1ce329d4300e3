package api_test

import (
	"net/http"
	"strings"
	"testing"
)

func TestValidate_WritesNothing(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	anyone := s.agent(s.role("guest", "collab.join"))
	tests := []struct {
		name, path, body string
		valid            bool
		contains         string
	}{
		{"confirm", "confirm", example(t, "s002-L026-confirm"), true, `"errors":[],"warnings":[]`},
		{"confirm without target", "confirm", `{}`, false, `{"path":"target_type","code":"required","message":"is required"}`},
		{"context with what is filled", "context?mode=liberal", `{}`, true, `"warnings":[{"path":"meta","code":"filled"`},
		{"role", "role", example(t, "s001-L199-role"), true, `"errors":[]`},
		{"role with a malformed capability", "role", `{"name":"x","capabilities":["plan.create","plan."]}`, false, `"path":"capabilities[1]","code":"pattern"`},
		{"role with a capability twice", "role", `{"name":"x","capabilities":["plan.create","plan.create"]}`, false, `"path":"capabilities[1]","code":"unique"`},
		{"role with a reserved name", "role", `{"name":"system"}`, false, `"path":"name","code":"const"`},
		{"plan", "plan", example(t, "s003-L228-plan"), true, `"errors":[]`},
		{"plan with a dangling dependency (P-20)", "plan", strings.Replace(draft, `"s1"]`, `"s9"]`, 1), false, "Step s2 depends on non-existent s9"},
		{"plan with a cycle (P-20)", "plan", strings.Replace(draft, `"s1"]`, `"s2"]`, 1), false, "Cyclic dependency detected"},
		{"plan with a cycle, which is named beside it", "plan", strings.Replace(draft, `"s1"]`, `"s2"]`, 1), false, `"warnings":[{"path":"steps","code":"cycle","message":"Step s2 depends on s2."}]`},
	}
	before := s.entries()
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := anyone.on(t).post("/validate/"+tt.path, tt.body).want(http.StatusOK)
			if got.member("valid") != tt.valid || !strings.Contains(got.body, tt.contains) {
				t.Errorf("answered %s, want valid %v and %s", got.body, tt.valid, tt.contains)
			}
		})
	}
	anyone.post("/validate/plan?mode=loose", draft).problem(http.StatusUnprocessableEntity, "invalid").fault("mode", "enum")
	anyone.post("/validate/dialog", `{}`).problem(http.StatusNotFound, "not-found")
	anyone.post("/validate/plan", `{"a":1,"a":2}`).problem(http.StatusBadRequest, "invalid-json").fault("a", "format")
	if after := s.entries(); after != before {
		t.Errorf("validating left %d entries", after-before)
	}
}
