package domain_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"countersign/domain"
	"countersign/domain/mplp"
)

func (w *world) samples() (list []map[string]any) {
	w.t.Helper()
	samples, _, err := w.LearningSamples(w.ctx, domain.System, domain.Page{})
	if err != nil {
		w.t.Fatal(err)
	}
	for _, s := range samples {
		list = append(list, members(w.t, s))
	}
	return list
}

func TestC43_C44_C45_LearningSample(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name          string
		status        domain.Status
		kind, quality string
	}{
		{"C-44 approved", domain.Approved, "approval", "good"},
		{"C-44 rejected", domain.Rejected, "rejection", "poor"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			agent, reviewer := w.worker(), w.user("reviewer", "reviewer")
			w.context(agent, "ctx-1", "active")
			w.mustDecide(reviewer, w.propose(agent, w.plan(agent, "p-1")), tt.status)
			list := w.samples()
			if len(list) != 1 {
				t.Fatalf("%d samples, want one", len(list))
			}
			sample := list[0]
			if _, err := uuid.Parse(sample["sample_id"].(string)); err != nil {
				t.Errorf("sample_id: %v", err)
			}
			if sample["sample_family"] != "intent_resolution" || !milliseconds.MatchString(sample["created_at"].(string)) {
				t.Errorf("C-43: family %v, created at %v", sample["sample_family"], sample["created_at"])
			}
			input, output := sample["input"].(map[string]any), sample["output"].(map[string]any)
			if input["intent_text"] != "No more errors" {
				t.Errorf("C-43: intent_text %v", input["intent_text"])
			}
			about, err := w.Context(w.ctx, agent, "ctx-1")
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(members(t, about.Native), input["context"]); diff != "" {
				t.Errorf("C-43: context (-want +got):\n%s", diff)
			}
			plan, err := w.PlanJSON(w.ctx, agent, "p-1")
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(members(t, plan.Native)["steps"], output["plan_structure"]); diff != "" {
				t.Errorf("C-43: plan_structure (-want +got):\n%s", diff)
			}
			want := map[string]any{"source": "user", "type": tt.kind, "quality_label": tt.quality, "details": "because"}
			if diff := cmp.Diff(want, sample["feedback"]); diff != "" {
				t.Errorf("C-44, C-45: feedback (-want +got):\n%s", diff)
			}
		})
	}
}

// TestC45_EachRoundQuotesItsOwnReason rejects a plan, then approves it.
func TestC45_EachRoundQuotesItsOwnReason(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	agent, reviewer := w.key("bot", "planner"), w.user("reviewer", "reviewer")
	plan := w.plan(agent, "p-1")
	for _, in := range []domain.DecisionInput{{Status: domain.Rejected, Reason: "Test first"}, {Status: domain.Approved, Reason: "Better"}} {
		c := w.propose(agent, plan)
		in.ContentHash = c.ContentHash
		if _, err := w.Decide(w.ctx, reviewer, c.ID, in); err != nil {
			t.Fatal(err)
		}
		w.pass(time.Second)
	}
	got := map[any]any{}
	for _, sample := range w.samples() {
		feedback := sample["feedback"].(map[string]any)
		got[feedback["type"]] = feedback["details"]
	}
	if diff := cmp.Diff(map[any]any{"rejection": "Test first", "approval": "Better"}, got); diff != "" {
		t.Errorf("details (-want +got):\n%s", diff)
	}
}

// What a confirm or its plan names may be another group's: a key learns nothing of
// that.
func TestT01_SamplesHaveNothingOfOthers(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	agent, reviewer := w.key("agent", w.role("asker", "plan.*", "context.*")), w.user("reviewer", "reviewer")
	w.user("owner", "executor")
	w.role("learner", "plan.*", "trace.read")
	other := w.keyFor(domain.KeyInput{Name: "other", Roles: []string{"learner"}, Owner: "owner"})
	w.context(agent, "ctx-1", "active")
	later := w.post(other, `{"target_type":"plan","target_id":"later"}`)
	w.plan(other, "own")
	own := w.post(other, `{"target_type":"plan","target_id":"own"}`)
	w.plan(agent, "later")
	w.mustDecide(reviewer, later, domain.Approved)
	w.mustDecide(reviewer, own, domain.Approved)
	for _, tt := range []struct {
		name    string
		ref     domain.Ref
		context string
	}{{"the key", other, "null"}, {"a person who may read all", w.user("auditor", "admin"), "{"}} {
		list, _, err := w.LearningSamples(w.ctx, tt.ref, domain.Page{})
		if err != nil {
			t.Fatal(err)
		}
		if len(list) != 1 || !strings.Contains(string(list[0]), `"context":`+tt.context) || !strings.Contains(string(list[0]), mplp.CanonicalID("plan", "own")) {
			t.Errorf("%s: %s", tt.name, list)
		}
	}
}

// TestC46_OnlyPeopleDecidingOnPlansTeach ends confirms in every other way.
func TestC46_OnlyPeopleDecidingOnPlansTeach(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	agent, reviewer := w.worker(), w.user("reviewer", "reviewer")
	w.mustDecide(reviewer, w.post(agent, `{"target_type":"context","target_id":"ctx-1"}`), domain.Approved)
	w.mustDecide(reviewer, w.post(agent, toolCall), domain.Approved)
	w.plan(agent, "p-1")
	w.post(agent, `{"target_type":"plan","target_id":"p-1","status":"approved","decisions":[{"status":"approved","decided_by_role":"dba"}]}`)
	if _, err := w.CancelConfirm(w.ctx, agent, w.propose(agent, "p-1").ID, ""); err != nil {
		t.Fatal(err)
	}
	late := w.post(agent, `{"target_type":"plan","target_id":"p-1","timeout":1}`)
	w.pass(2 * time.Second)
	if o := w.outcome(late.ID); o.Confirm.Cause != domain.CauseTimeout {
		t.Fatalf("ended by %s", o.Confirm.Cause)
	}
	if list := w.samples(); len(list) != 0 {
		t.Errorf("samples %v, want none", list)
	}
}
