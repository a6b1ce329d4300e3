package api_test

import (
	"net/http"
	"net/url"
	"testing"

	"github.com/google/go-cmp/cmp"

	"countersign/domain"
)

func TestRole_CreateReadUpdateDelete(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	admin := s.agent("admin")
	created := admin.post("/roles", `{"role_id":"r-1","name":"duty officer","capabilities":["confirm.approve"]}`).want(http.StatusCreated)
	if got := created.header.Get("Location"); got != "/api/v1/roles/r-1" {
		t.Errorf("Location %q", got)
	}
	for _, path := range []string{"/roles/r-1", "/roles/duty%20officer", "/roles/%64uty%20officer"} {
		if got := admin.get(path).want(http.StatusOK); got.body != created.body {
			t.Errorf("%s gives %s", path, got.body)
		}
	}
	admin.post("/roles", `{"role_id":"r-2","name":"Duty Officer"}`).problem(http.StatusConflict, "id-taken")
	admin.post("/roles", `{"name":"x","capabilities":["Plan.create"]}`).problem(http.StatusUnprocessableEntity, "invalid").fault("capabilities[0]", "pattern")
	admin.post("/roles", `{"name":"x","capabilities":[1]}`).problem(http.StatusUnprocessableEntity, "invalid").fault("capabilities[0]", "type_error")

	updated := admin.do(http.MethodPut, "/roles/r-1", `{"name":"duty officer","capabilities":["confirm.reject"]}`).want(http.StatusOK)
	if diff := cmp.Diff([]any{"confirm.reject"}, updated.member("capabilities")); diff != "" {
		t.Errorf("capabilities (-want +got):\n%s", diff)
	}
	admin.do(http.MethodDelete, "/roles/r-1", "").want(http.StatusNoContent)
	admin.do(http.MethodDelete, "/roles/r-1", "").problem(http.StatusNotFound, "not-found")
	admin.do(http.MethodDelete, "/roles/admin", "").problem(http.StatusConflict, "role-in-use")
}

func TestRole_GrantsOnlyWhatIsHeld(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	clerk := s.agent(s.role("clerk", "role.modify", "plan.create"))
	clerk.post("/roles", `{"name":"maker","capabilities":["plan.create"]}`).want(http.StatusCreated)
	refused := clerk.post("/roles", `{"name":"breaker","capabilities":["plan.create","confirm.approve"]}`).problem(http.StatusForbidden, "missing-capability")
	if got := refused.text("capability"); got != "confirm.approve" {
		t.Errorf("capability %q, want confirm.approve", got)
	}
}

func TestRole_ListInPages(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	admin := s.agent("admin")
	all := admin.get("/roles").want(http.StatusOK).ids("role_id")
	if len(all) != len(domain.SeededRoles()) {
		t.Fatalf("seeded roles: %v", all)
	}
	var got []string
	for cursor := ""; ; {
		page := admin.get("/roles?limit=4&cursor=" + url.QueryEscape(cursor)).want(http.StatusOK)
		got = append(got, page.ids("role_id")...)
		if cursor = page.text("next_cursor"); cursor == "" {
			break
		}
	}
	if diff := cmp.Diff(all, got); diff != "" {
		t.Errorf("pages (-want +got):\n%s", diff)
	}
	admin.get("/roles?cursor=none").problem(http.StatusUnprocessableEntity, "invalid").fault("cursor", "format")
}

func TestR10_Can(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	anyone := s.agent(s.role("guest", "collab.join"))
	tests := []struct {
		name, role, capability string
		want                   bool
	}{
		{"direct (R-11)", "planner", "plan.create", true},
		{"wildcard (R-12)", "architect", "plan.propose", true},
		{"everything (R-13)", "admin", "plan.create", true},
		{"otherwise (R-14)", "planner", "confirm.approve", false},
		{"unknown role (R-10)", "nope", "plan.create", false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := anyone.on(t).get("/roles/" + tt.role + "/can?capability=" + tt.capability).want(http.StatusOK)
			if got.member("allowed") != tt.want {
				t.Errorf("answered %s, want %v", got.body, tt.want)
			}
		})
	}
	anyone.get("/roles/planner/can").problem(http.StatusUnprocessableEntity, "invalid").fault("capability", "required")
	anyone.get("/roles/planner/can?capability=plan").problem(http.StatusUnprocessableEntity, "invalid").fault("capability", "pattern")
}
