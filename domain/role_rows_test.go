package domain_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"countersign/domain"
	"countersign/domain/mplp"
)

// roleInput reads a role written as JSON.
func (w *world) roleInput(text string) domain.RoleInput {
	w.t.Helper()
	in, err := mplp.ParseRole([]byte(text), w.Limits().MPLP())
	if err != nil {
		w.t.Fatal(err)
	}
	return domain.RoleFromJSON(in)
}

func TestR2_RoleWithoutCapabilitiesMayNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.role("empty")
	agent, nobody := w.key("bot", "executor"), w.user("nobody", "empty", "human_user")
	c := w.post(agent, toolCall)
	_, err := w.Decide(w.ctx, nobody, c.ID, domain.DecisionInput{Status: domain.Approved, ContentHash: c.ContentHash, DecidedByRole: "empty"})
	w.wantCode(err, domain.CodeRoleNotHeld) // held, but it allows nothing
	mute := w.key("mute", "empty")
	_, err = w.tryPost(mute, toolCall)
	w.wantCode(err, domain.CodeMissingCapability)
	_, err = w.Gate(w.ctx, mute, domain.GateQuery{PlanID: "p", StepID: "s"})
	w.wantCode(err, domain.CodeMissingCapability)
}

// TestR6_R7_RoleKeepsWhatItWasSent creates a role and changes it.
func TestR6_R7_RoleKeepsWhatItWasSent(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	boss := w.user("boss", "admin")
	const sent = `{"role_id":"r-1","name":"duty","description":"On duty","capabilities":["plan.create"],"trace":{"trace_id":"t-1","span_id":"s-1"}}`
	role, err := w.CreateRole(w.ctx, boss, w.roleInput(sent))
	if err != nil {
		t.Fatal(err)
	}
	created := members(t, role.Native)
	w.pass(2 * time.Second)
	role, err = w.UpdateRole(w.ctx, boss, "r-1", w.roleInput(strings.Replace(sent, `"plan.create"`, `"plan.propose"`, 1)))
	if err != nil {
		t.Fatal(err)
	}
	updated := members(t, role.Native)
	for _, tt := range []struct {
		name      string
		got, want any
	}{
		{"R-4 description", created["description"], "On duty"},
		{"R-6a created_at", created["created_at"], "2026-01-02T03:04:05.000Z"},
		{"R-6a created_at stays", updated["created_at"], "2026-01-02T03:04:05.000Z"},
		{"R-6b updated_at", updated["updated_at"], "2026-01-02T03:04:07.000Z"},
		{"R-7a trace", updated["trace"], map[string]any{"trace_id": "t-1", "span_id": "s-1"}},
	} {
		if diff := cmp.Diff(tt.want, tt.got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
	}
	events, _ := updated["events"].([]any)
	if created["events"] != nil || len(events) != 1 {
		t.Fatalf("R-7b: events %v, then %v", created["events"], updated["events"])
	}
	event := events[0].(map[string]any)
	want := map[string]any{"granted": []any{"plan.propose"}, "revoked": []any{"plan.create"}}
	if diff := cmp.Diff(want, event["data"]); event["event_type"] != "role.modified" || diff != "" {
		t.Errorf("R-7b: %v (-want +got):\n%s", event["event_type"], diff)
	}
}

func TestR7b_CapabilityChangeIsARoleEvent(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	boss := w.user("boss", "admin")
	w.role("duty", "plan.create")
	for _, capabilities := range [][]string{{"plan.propose"}, {"plan.propose", "plan.create"}} {
		if _, err := w.UpdateRole(w.ctx, boss, "duty", domain.RoleInput{Name: "duty", Capabilities: capabilities}); err != nil {
			t.Fatal(err)
		}
	}
	role, _, err := w.Role(w.ctx, boss, "duty")
	if err != nil {
		t.Fatal(err)
	}
	events, _ := members(t, role.Native)["events"].([]any)
	if len(events) != 2 {
		t.Errorf("%d events after two changes", len(events))
	}
}

// TestR9_EachCapabilityGuardsItsUse lets somebody with all capabilities but one
// try what that one allows, and then somebody with that one alone.
func TestR9_EachCapabilityGuardsItsUse(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name       string
		capability domain.Capability
		do         func(w *world, by domain.Ref) error
	}{
		{"R-9a plan.create", domain.PlanCreate, func(w *world, by domain.Ref) error {
			return w.tryPlan(by, `{"context_id":"c","title":"t","objective":"o","steps":[{"step_id":"s","description":"d"}]}`)
		}},
		{"R-9b plan.propose", domain.PlanPropose, func(w *world, by domain.Ref) error {
			_, err := w.ProposePlan(w.ctx, by, "mine", domain.ProposeInput{})
			return err
		}},
		{"R-9c plan.execute", domain.PlanExecute, func(w *world, by domain.Ref) error {
			_, err := w.Gate(w.ctx, by, domain.GateQuery{PlanID: "mine", StepID: "s1"})
			return err
		}},
		{"R-9c plan.execute starts", domain.PlanExecute, func(w *world, by domain.Ref) error {
			_, err := w.StartPlan(w.ctx, by, "approved")
			return err
		}},
		{"R-9f context.read", domain.ContextRead, func(w *world, by domain.Ref) error {
			_, err := w.Context(w.ctx, by, "ctx-1")
			return err
		}},
		{"R-9g context.modify", domain.ContextModify, func(w *world, by domain.Ref) error {
			in, err := mplp.ParseContext([]byte(`{"title":"New"}`), w.Limits().MPLP())
			if err == nil {
				_, err = w.CreateContext(w.ctx, by, in)
			}
			return err
		}},
		{"R-9h trace.read", domain.TraceRead, func(w *world, by domain.Ref) error {
			_, _, err := w.Events(w.ctx, by, domain.EventFilter{})
			return err
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.user("answers", "reviewer")
			key := func(name string, roles ...string) domain.Ref {
				return w.keyFor(domain.KeyInput{Name: name, Roles: roles, Owner: "answers"})
			}
			owner, reviewer := key("worker", "architect", "executor"), w.user("reviewer", "reviewer")
			w.context(owner, "ctx-1", "active")
			w.plan(owner, "mine")
			w.mustDecide(reviewer, w.propose(owner, w.plan(owner, "approved")), domain.Approved)

			var others []string
			for _, known := range domain.KnownCapabilities() {
				other := known.Capability
				modifies := tt.capability == domain.ContextRead && other == domain.ContextModify // reading is part of it
				if other != tt.capability && other != domain.Everything && !strings.HasSuffix(string(other), ".*") && !modifies {
					others = append(others, string(other))
				}
			}
			err := tt.do(w, key("without", w.role("without", others...)))
			w.wantCode(err, domain.CodeMissingCapability)
			if e := domain.AsError(err); e == nil || e.Capability != tt.capability {
				t.Errorf("without it: %v, want %s named", err, tt.capability)
			}
			if err := tt.do(w, key("with", w.role("with", string(tt.capability)))); err != nil {
				t.Errorf("with it alone: %v", err)
			}
		})
	}
}

// tryPlan posts a plan written as JSON.
func (w *world) tryPlan(by domain.Ref, text string) error {
	in, err := mplp.ParsePlan([]byte(text), w.Limits().MPLP())
	if err == nil {
		_, err = w.PostPlan(w.ctx, by, in)
	}
	return err
}

func TestR9i_R9j_CollabCapabilitiesAreKnown(t *testing.T) {
	t.Parallel()
	known := map[domain.Capability]string{}
	for _, k := range domain.KnownCapabilities() {
		known[k.Capability] = k.Description
	}
	for _, capability := range []domain.Capability{"collab.join", "collab.orchestrate"} {
		if known[capability] == "" {
			t.Errorf("%s is not described", capability)
		}
	}
	w := newWorld(t)
	for capability, want := range map[string]bool{"collab.orchestrate": true, "collab.join": false} {
		if allowed, err := w.RoleCan(w.ctx, domain.System, "orchestrator", capability); err != nil || allowed != want {
			t.Errorf("the orchestrator can %s: %v %v, want %v", capability, allowed, err, want)
		}
	}
}

func TestR15_R16_R22_SeededSets(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, tt := range []struct {
		name, role string
		want       []domain.Capability
	}{
		{"R-15a", "planner", []domain.Capability{"plan.create", "plan.propose"}},
		{"R-15b", "executor", []domain.Capability{"plan.execute", "trace.read"}},
		{"R-15c R-22", "reviewer", []domain.Capability{"confirm.approve", "confirm.reject", "trace.read"}},
		{"R-15d", "architect", []domain.Capability{"plan.*", "context.*"}},
		{"R-16a", "orchestrator", []domain.Capability{"collab.orchestrate", "plan.*"}},
		{"R-16b", "coder", []domain.Capability{"plan.execute", "trace.read"}},
		{"R-16c", "tester", []domain.Capability{"plan.execute", "trace.read"}},
		{"R-16d", "human_user", []domain.Capability{"confirm.approve", "plan.propose"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			role, _, err := w.Role(w.ctx, domain.System, tt.role)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, role.Capabilities, cmpopts.SortSlices(func(a, b domain.Capability) bool { return a < b })); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tt.role, diff)
			}
			approves, err := w.RoleCan(w.ctx, domain.System, tt.role, "confirm.approve")
			if want := tt.role == "reviewer" || tt.role == "human_user"; err != nil || approves != want {
				t.Errorf("%s approves: %v %v, want %v", tt.role, approves, err, want)
			}
		})
	}
	// They are a beginning: an administrator may edit them.
	if _, err := w.UpdateRole(w.ctx, w.user("boss", "admin"), "tester", domain.RoleInput{Name: "tester", Capabilities: []string{"plan.execute"}}); err != nil {
		t.Error(err)
	}
}
