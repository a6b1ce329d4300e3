package api_test

import (
	"net/http"
	"strings"
	"testing"
	"time"
)

// TestR7a_TraceIsGivenBack stores a trace as it was sent.
func TestR7a_TraceIsGivenBack(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	agent := s.agent("executor")
	sent := `{"trace_id":"trace-990-def","context_id":"ctx-1","status":"completed","root_span":{"trace_id":"trace-990-def","span_id":"root"},"segments":[{"segment_id":"g1","label":"Read","status":"completed"}],"cost":1e400,"x":{"n":9007199254740993}}`
	posted := agent.post("/traces", sent).want(http.StatusCreated)
	posted.gives(sent, "meta")
	if got := posted.header.Get("Location"); got != "/api/v1/traces/trace-990-def" {
		t.Errorf("Location %q", got)
	}
	if got := posted.header.Get("Countersign-Warnings"); !strings.Contains(got, `"path":"meta","code":"filled"`) {
		t.Errorf("warnings %q", got)
	}
	if got := agent.get("/traces/trace-990-def").want(http.StatusOK); got.body != posted.body || !strings.Contains(got.body, "9007199254740993") || !strings.Contains(got.body, "1e400") {
		t.Errorf("given back as %s", got.body)
	}
	agent.post("/traces", sent).problem(http.StatusConflict, "id-taken")
	agent.post("/traces", `{}`).problem(http.StatusUnprocessableEntity, "invalid").fault("context_id", "required")
	s.pass(time.Second)
	if id := agent.post("/traces", `{"context_id":"ctx-1"}`).want(http.StatusCreated).text("trace_id"); len(id) != 36 {
		t.Errorf("the id %q is given", id)
	}
	if got := agent.get("/traces").want(http.StatusOK).ids("trace_id"); len(got) != 2 || got[1] != "trace-990-def" {
		t.Errorf("the list has %v", got)
	}
	first := agent.get("/traces?limit=1").want(http.StatusOK)
	if got := agent.get("/traces?limit=1&cursor=" + first.text("next_cursor")).ids("trace_id"); len(got) != 1 || got[0] != "trace-990-def" {
		t.Errorf("the second page has %v", got)
	}
}
