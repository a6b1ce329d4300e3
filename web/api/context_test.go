package api_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestContext_CreateReadUpdate(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	agent := s.agent("architect")
	created := agent.post("/contexts", `{"context_id":"ctx-1","title":"Shop","status":"active","root":{"domain":"retail"}}`).want(http.StatusCreated)
	if got := created.header.Get("Location"); got != "/api/v1/contexts/ctx-1" {
		t.Errorf("Location %q", got)
	}
	if got := created.text("created_at"); got != "2026-01-02T03:04:05.000Z" {
		t.Errorf("created_at %q", got)
	}
	agent.post("/contexts", `{"context_id":"ctx-1"}`).problem(http.StatusConflict, "id-taken")
	agent.post("/contexts", `{"status":"open"}`).problem(http.StatusUnprocessableEntity, "invalid").fault("status", "enum")

	s.pass(time.Minute)
	updated := agent.do(http.MethodPut, "/contexts/ctx-1", `{"title":"Shop","status":"suspended","governance":{"locked":true}}`).want(http.StatusOK)
	if updated.text("status") != "suspended" || updated.text("updated_at") != "2026-01-02T03:05:05.000Z" || updated.text("created_at") != created.text("created_at") {
		t.Errorf("updated as %s", updated.body)
	}
	if got := agent.get("/contexts/ctx-1").want(http.StatusOK); got.body != updated.body {
		t.Errorf("read as %s", got.body)
	}
	agent.do(http.MethodPut, "/contexts/ctx-1", `{"title":"Store","status":"suspended"}`).problem(http.StatusLocked, "locked")
	agent.do(http.MethodPut, "/contexts/ctx-1", `{"context_id":"ctx-2"}`).problem(http.StatusUnprocessableEntity, "invalid").fault("context_id", "const")
	agent.do(http.MethodPut, "/contexts/none", `{}`).problem(http.StatusNotFound, "not-found")
}

func TestContext_List(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	agent := s.agent("architect")
	agent.post("/contexts", `{"context_id":"ctx-1"}`).want(http.StatusCreated)
	s.pass(time.Second)
	agent.post("/contexts", `{"context_id":"ctx-2"}`).want(http.StatusCreated)
	first := agent.get("/contexts?limit=1").want(http.StatusOK)
	rest := agent.get("/contexts?limit=1&cursor=" + first.text("next_cursor")).want(http.StatusOK)
	if diff := cmp.Diff([]string{"ctx-2", "ctx-1"}, append(first.ids("context_id"), rest.ids("context_id")...)); diff != "" {
		t.Errorf("newest first (-want +got):\n%s", diff)
	}
}

// TestContext_ListGivesWhatMayBeRead asks in the group of the poster: the list
// gives nobody what the context itself refuses.
func TestContext_ListGivesWhatMayBeRead(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	architect := s.agent("architect")
	architect.post("/contexts", `{"context_id":"ctx-1"}`).want(http.StatusCreated)
	for _, tt := range []struct {
		name   string
		reader *client
		status int
		want   []string
	}{
		{"R-9f with context.read", architect, http.StatusOK, []string{"ctx-1"}},
		{"R-9f without it", s.agent("planner"), http.StatusForbidden, []string{}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tt.reader.get("/contexts/ctx-1").want(tt.status)
			if diff := cmp.Diff(tt.want, tt.reader.get("/contexts").want(http.StatusOK).ids("context_id")); diff != "" {
				t.Errorf("listed (-want +got):\n%s", diff)
			}
		})
	}
}
