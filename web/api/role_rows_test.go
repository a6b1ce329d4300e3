package api_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"
)

func TestR1_R21_R23_RolesAreMadeReadListedAndChanged(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, body, id string }{
		{"R-21 TypeScript createRole", `{"meta":{"protocolVersion":"1.0.0"},"role_id":"8f14e45f-ceea-467f-a0e6-d8d2a5b2c3d1","name":"auditor",` +
			`"capabilities":["trace.read"],"created_at":"2025-12-07T00:00:00.000Z"}`, "8f14e45f-ceea-467f-a0e6-d8d2a5b2c3d1"},
		{"R-23 Python without meta, naive time", `{"role_id":"r-1","name":"auditor","description":null,"capabilities":["trace.read"],"created_at":"2025-12-07T00:00:00.123456"}`, "r-1"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			admin := newServer(t).agent("admin").on(t)
			created := admin.post("/roles", tt.body).want(http.StatusCreated)
			if read := admin.get("/roles/" + tt.id).want(http.StatusOK); read.body != created.body {
				t.Errorf("read as %s, made as %s", read.body, created.body)
			}
			created.gives(tt.body, "meta", "updated_at")
			if ids := admin.get("/roles").want(http.StatusOK).ids("role_id"); !slices.Contains(ids, tt.id) {
				t.Errorf("it is not in the list %v", ids)
			}
			changed := admin.do(http.MethodPut, "/roles/"+tt.id, strings.Replace(tt.body, "trace.read", "confirm.reject", 1)).want(http.StatusOK)
			if !strings.Contains(changed.body, `"capabilities":["confirm.reject"]`) {
				t.Errorf("changed to %s", changed.body)
			}
			if got := admin.get("/roles/auditor/can?capability=confirm.reject").want(http.StatusOK).member("allowed"); got != true {
				t.Errorf("the change is not enforced: %v", got)
			}
		})
	}
}

func TestR3b_R7c_R8_RolesAreRefused(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	admin := s.agent("admin")
	const body = `{"role_id":"r-1","name":"duty","capabilities":["plan.create"],"governance":{"lifecyclePhase":"active","locked":true}}`
	admin.post("/roles", body).want(http.StatusCreated)
	admin.post("/roles", strings.Replace(body, "duty", "another", 1)).problem(http.StatusConflict, "id-taken")
	for _, change := range []string{"plan.propose", "plan.*"} {
		admin.do(http.MethodPut, "/roles/r-1", strings.Replace(body, "plan.create", change, 1)).problem(http.StatusLocked, "locked")
	}
	admin.do(http.MethodDelete, "/roles/r-1", "").problem(http.StatusLocked, "locked")
	admin.do(http.MethodPut, "/roles/r-1", strings.Replace(body, "true", "false", 1)).want(http.StatusOK)
	admin.do(http.MethodPut, "/roles/r-1", strings.Replace(strings.Replace(body, "true", "false", 1), "plan.create", "plan.propose", 1)).want(http.StatusOK)

	// malformed capabilities
	for _, malformed := range []string{"admin", "plan", "Plan.create", "plan.", ".create", "plan.c*", "*.create", "plan.create.x", " plan.create", ""} {
		body := `{"name":"x","capabilities":["` + malformed + `"]}`
		admin.post("/roles", body).problem(http.StatusUnprocessableEntity, "invalid").fault("capabilities[0]", "pattern")
	}
}
