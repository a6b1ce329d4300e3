package domain_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"countersign/domain"
)

// events reads the log's events about one confirm.
func (w *world) events(f domain.EventFilter) []domain.Event {
	w.t.Helper()
	list, _, err := w.Events(w.ctx, domain.System, f)
	if err != nil {
		w.t.Fatal(err)
	}
	return list
}

func eventTypes(list []domain.Event) (types []string) {
	for _, e := range list {
		types = append(types, e.Type)
	}
	return types
}

func TestC40_C41_BusHearsOfTheDecision(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		status domain.Status
		bus    []string // beside confirm_created
	}{
		{"C-40 approved", domain.Approved, []string{"plan_approved", "confirm_resolved"}},
		{"C-40 rejected", domain.Rejected, []string{"plan_rejected", "confirm_resolved"}},
		{"C-40 cancelled is no rejection", domain.Cancelled, []string{"confirm_resolved"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			agent, reviewer := w.key("bot", "planner"), w.user("reviewer", "reviewer")
			c := w.propose(agent, w.plan(agent, "p-1"))
			by := "reviewer"
			if tt.status == domain.Cancelled {
				by = "planner"
				if _, err := w.CancelConfirm(w.ctx, agent, c.ID, ""); err != nil {
					t.Fatal(err)
				}
			} else {
				w.mustDecide(reviewer, c, tt.status)
			}
			bus := map[string]domain.Event{}
			var order []string
			for _, e := range w.events(domain.EventFilter{ConfirmID: c.ID}) {
				if e.Type != "confirm_created" && !isDotted(e.Type) {
					bus[e.Type], order = e, append(order, e.Type)
				}
			}
			if diff := cmp.Diff(tt.bus, order); diff != "" {
				t.Errorf("bus events (-want +got):\n%s", diff)
			}
			text, err := json.Marshal(bus[tt.bus[0]])
			if err != nil {
				t.Fatal(err)
			}
			event := members(t, text)
			if event["event_family"] != "pipeline_stage" {
				t.Errorf("family %v", event["event_family"])
			}
			payload, _ := event["payload"].(map[string]any)
			want := map[string]any{"confirm_id": c.ID, "plan_id": "p-1", "decided_by": by}
			for name, value := range want {
				if payload[name] != value {
					t.Errorf("C-41: %s is %v, want %v", name, payload[name], value)
				}
			}
		})
	}
}

func isDotted(kind string) bool { return strings.Contains(kind, ".") }

// TestC40_OtherTargetsHaveNoPlanEvents decides on a tool call.
func TestC40_OtherTargetsHaveNoPlanEvents(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	agent, reviewer := w.key("bot", "executor"), w.user("reviewer", "reviewer")
	c := w.post(agent, toolCall)
	w.mustDecide(reviewer, c, domain.Approved)
	want := []string{"confirm.requested", "confirm_created", "confirm.approved", "confirm_resolved"}
	if diff := cmp.Diff(want, eventTypes(w.events(domain.EventFilter{ConfirmID: c.ID}))); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
}

// TestP4b_DecisionBecomesThePlansEvent reads the plan that was decided on.
func TestP4b_DecisionBecomesThePlansEvent(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	agent, reviewer := w.key("bot", "planner"), w.user("reviewer", "reviewer")
	plan := w.plan(agent, "p-1")
	w.mustDecide(reviewer, w.propose(agent, plan), domain.Rejected)
	w.mustDecide(reviewer, w.propose(agent, plan), domain.Approved)
	detail, err := w.PlanJSON(w.ctx, agent, plan)
	if err != nil {
		t.Fatal(err)
	}
	var types []string
	for _, e := range members(t, detail.Native)["events"].([]any) {
		types = append(types, e.(map[string]any)["event_type"].(string))
	}
	want := []string{"plan.proposed", "plan.rejected", "plan.proposed", "plan.approved"}
	if diff := cmp.Diff(want, types); diff != "" {
		t.Errorf("the plan's events (-want +got):\n%s", diff)
	}
}
