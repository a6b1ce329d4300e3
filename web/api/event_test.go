package api_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"countersign/domain"
)

// busEvent is what a test looks at in an event.
type busEvent struct {
	ID        string         `json:"event_id"`
	Type      string         `json:"event_type"`
	Family    string         `json:"event_family"`
	Timestamp string         `json:"timestamp"`
	Cursor    string         `json:"cursor"`
	TraceID   string         `json:"trace_id"`
	Payload   map[string]any `json:"payload"`
}

// busEvents decodes a list of events, each of which the official schemas must
// accept.
func (r reply) busEvents() (list []busEvent) {
	r.t.Helper()
	var l struct{ Items []json.RawMessage }
	r.want(http.StatusOK).decode(&l)
	for _, item := range l.Items {
		list = append(list, readEvent(r.t, string(item)))
	}
	return list
}

func readEvent(t *testing.T, text string) (e busEvent) {
	t.Helper()
	reply{t: t, body: text}.decode(&e)
	official(t, "https://mplp.dev/schemas/v1.0/events/mplp-event-core.schema.json", text)
	schema := "https://mplp.dev/schemas/v1.0/events/mplp-" + strings.ReplaceAll(e.Family, "_", "-") + "-event.schema.json"
	official(t, schema, text)
	var members map[string]any
	reply{t: t, body: text}.decode(&members)
	for _, name := range map[string][]string{
		"pipeline_stage":    {"pipeline_id", "stage_id", "stage_status"},
		"graph_update":      {"graph_id", "update_kind", "node_delta", "edge_delta"},
		"runtime_execution": {"execution_id", "executor_kind", "status"},
	}[e.Family] {
		if _, ok := members[name]; !ok {
			t.Errorf("%s has no %s: %s", e.Type, name, text)
		}
	}
	return e
}

func types(list []busEvent) (names []string) {
	for _, e := range list {
		names = append(names, e.Type)
	}
	return names
}

// TestC40_EventsOfDecisions names what became of a plan's confirm, by the risk
// flow and by the confirm module.
func TestC40_EventsOfDecisions(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		end  func(s *site, confirm reply)
		want []string
	}{
		{"F-11 requested", func(*site, reply) {}, nil},
		{"F-12 approved", func(s *site, c reply) { s.reviewer.decide(c, "approved").want(http.StatusCreated) },
			[]string{"confirm.approved", "plan_approved", "confirm_resolved"}},
		{"F-13 rejected", func(s *site, c reply) { s.reject(c) }, []string{"confirm.rejected", "plan_rejected", "confirm_resolved"}},
		{"F-14 cancelled", func(s *site, c reply) {
			s.agent.post("/confirms/"+c.text("confirm_id")+"/cancel", "").want(http.StatusOK)
		}, []string{"confirm.cancelled", "confirm_resolved"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := newSite(t).to("draft")
			confirm := s.agent.post("/plans/plan-1/propose", "").want(http.StatusCreated)
			id := confirm.text("confirm_id")
			tt.end(s, confirm)
			list := s.agent.get("/events?confirm_id=" + id).busEvents()
			want := append([]string{"confirm.requested", "confirm_created"}, tt.want...)
			got := slices.DeleteFunc(types(list), func(name string) bool { return strings.HasPrefix(name, "plan.") })
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("events (-want +got):\n%s", diff)
			}
			for _, e := range list {
				if e.Payload["confirm_id"] != id || e.Payload["plan_id"] != "plan-1" {
					t.Errorf("C-41: %s has the payload %v", e.Type, e.Payload)
				}
				if decided := e.Type == "plan_approved" || e.Type == "plan_rejected"; decided && e.Payload["decided_by"] != "reviewer" {
					t.Errorf("C-41: %s is decided by %v", e.Type, e.Payload["decided_by"])
				}
			}
		})
	}
}

// TestP32_EventsOfARun reads a whole run: each step a span, every event valid.
func TestP32_EventsOfARun(t *testing.T) {
	t.Parallel()
	s := newSite(t).to("failed")
	s.agent.post("/confirms", `{"confirm_id":"c-1","trace":{"trace_id":"t-1"},`+toolCall[1:]).want(http.StatusCreated)
	s.agent.post("/confirms", example(t, "s000-L237-confirm")).want(http.StatusCreated)
	s.agent.post("/traces", `{"trace_id":"t-1","context_id":"ctx-1"}`).want(http.StatusCreated)
	all := s.agent.get("/events?limit=200").busEvents()
	want := []string{"plan.created", "confirm.requested", "plan.approved", "plan.started", "step.started", "step.failed", "plan.failed", "confirm.imported"}
	for _, name := range want {
		if !slices.Contains(types(all), name) {
			t.Errorf("there is no %s in %v", name, types(all))
		}
	}
	seen := map[string]bool{}
	for _, e := range all {
		if seen[e.ID] || seen[e.Cursor] {
			t.Errorf("%s comes twice", e.Cursor)
		}
		seen[e.ID], seen[e.Cursor] = true, true
	}

	filters := map[string]struct {
		query string
		match func(busEvent) bool
	}{
		"family":  {"family=runtime_execution", func(e busEvent) bool { return e.Family == "runtime_execution" }},
		"type":    {"type=step.started", func(e busEvent) bool { return e.Type == "step.started" && e.Payload["span_id"] == "span-s1" }},
		"plan":    {"plan_id=plan-1", func(e busEvent) bool { return e.Payload["plan_id"] == "plan-1" }},
		"confirm": {"confirm_id=c-1", func(e busEvent) bool { return e.Payload["confirm_id"] == "c-1" }},
		"trace":   {"trace_id=t-1", func(e busEvent) bool { return e.TraceID == "t-1" }},
	}
	for name, tt := range filters {
		list := s.agent.get("/events?limit=200&" + tt.query).busEvents()
		want := slices.DeleteFunc(slices.Clone(all), func(e busEvent) bool { return !tt.match(e) })
		if diff := cmp.Diff(want, list); diff != "" || len(list) == 0 {
			t.Errorf("by %s (-want +got):\n%s", name, diff)
		}
	}
	s.agent.get("/events?family=nothing").problem(http.StatusUnprocessableEntity, "invalid").fault("family", "enum")

	var pages []busEvent
	for path := "/events?limit=3"; ; {
		page := s.agent.get(path).want(http.StatusOK)
		pages = append(pages, page.busEvents()...)
		next := page.text("next_cursor")
		if next == "" {
			break
		}
		path = "/events?limit=3&after=" + next
		if cursor := s.agent.get("/events?limit=3&cursor=" + next).want(http.StatusOK); cursor.body != s.agent.get(path).body {
			t.Error("after and cursor differ")
		}
	}
	if diff := cmp.Diff(all, pages); diff != "" {
		t.Errorf("events (-whole +by pages):\n%s", diff)
	}
}

// TestC31_EventsAreFollowed hears of a request as it is made, resumes after any
// event, and sees each once.
func TestC31_EventsAreFollowed(t *testing.T) {
	t.Parallel()
	s := newSite(t).to("draft")
	live := s.agent.listen("/events?family=pipeline_stage")
	confirm := s.agent.post("/plans/plan-1/propose", "").want(http.StatusCreated)
	s.reviewer.decide(confirm, "approved").want(http.StatusCreated)
	want := s.agent.get("/events?family=pipeline_stage").busEvents()
	got := live.take(len(want))
	var heard []busEvent
	for _, m := range got {
		e := readEvent(t, m.data)
		if e.Cursor != m.id {
			t.Errorf("the event %s has the id %s", e.Cursor, m.id)
		}
		heard = append(heard, e)
	}
	if diff := cmp.Diff(want, heard); diff != "" {
		t.Errorf("events (-list +stream):\n%s", diff)
	}
	for i, m := range got[:len(got)-1] {
		again := s.agent.listen("/events?family=pipeline_stage&after=-1", "Last-Event-ID", m.id)
		if next := again.next(); next != got[i+1] {
			t.Errorf("after %s comes %s", m.id, next.id)
		}
		again.leave()
	}
	replayed := s.agent.listen("/events?family=pipeline_stage&after=-1").take(len(want))
	if diff := cmp.Diff(got, replayed, cmp.AllowUnexported(message{})); diff != "" {
		t.Errorf("events (-live +replayed):\n%s", diff)
	}
}

// TestEvents_OnlyPlacesOfTheLog refuses a place that the log has not reached:
// who comes from one would miss what is written there until it has.
func TestEvents_OnlyPlacesOfTheLog(t *testing.T) {
	t.Parallel()
	s := newSite(t).to("draft")
	last, err := s.agent.s.LastSeq(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	s.agent.get(fmt.Sprintf("/events?after=%d", last)).want(http.StatusOK)
	for _, accept := range []string{"application/json", "text/event-stream"} {
		for _, past := range []string{fmt.Sprintf("after=%d.0", last+1), "cursor=1000.1"} {
			s.agent.do(http.MethodGet, "/events?"+past, "", "Accept", accept).problem(http.StatusUnprocessableEntity, "invalid").fault("after", "limit")
		}
	}
}

// TestR9h_EventsNeedTraceRead, and a key reads its own group's history only.
func TestR9h_EventsNeedTraceRead(t *testing.T) {
	t.Parallel()
	s := newSite(t).to("approved")
	s.owner("other")
	stranger := s.keyFor(domain.KeyInput{Name: "stranger", Roles: []string{"reviewer"}, Owner: "other"})
	if got := stranger.get("/events").busEvents(); len(got) > 0 {
		t.Errorf("a stranger reads %v", types(got))
	}
	blind := s.agent.s.agent("planner")
	for _, accept := range []string{"application/json", "text/event-stream"} {
		got := blind.do(http.MethodGet, "/events", "", "Accept", accept).problem(http.StatusForbidden, "missing-capability")
		if got.text("capability") != "trace.read" {
			t.Errorf("%s names %s", accept, got.text("capability"))
		}
	}
}
