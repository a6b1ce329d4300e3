package domain_test

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"countersign/domain"
	"countersign/domain/mplp"
)

// object is a confirm as the JSON interface gives it to somebody.
func (w *world) object(ref domain.Ref, id string) map[string]any {
	w.t.Helper()
	o, err := w.ConfirmJSON(w.ctx, ref, id)
	if err != nil {
		w.t.Fatal(err)
	}
	return members(w.t, o.Native)
}

func members(t *testing.T, native []byte) (object map[string]any) {
	t.Helper()
	if err := json.Unmarshal(native, &object); err != nil {
		t.Fatal(err)
	}
	return object
}

// propose proposes a plan and gives its confirm.
func (w *world) propose(ref domain.Ref, plan string) *domain.Confirm {
	w.t.Helper()
	c, err := w.ProposePlan(w.ctx, ref, plan, domain.ProposeInput{})
	if err != nil {
		w.t.Fatal(err)
	}
	return c
}

// TestC1_ConfirmsHaveNothingButTheProtocolsMembers decides what the server made
// itself, so that every member is its own.
func TestC1_ConfirmsHaveNothingButTheProtocolsMembers(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	agent, reviewer := w.key("bot", "planner"), w.user("reviewer", "reviewer")
	c := w.propose(agent, w.plan(agent, "p-1"))
	w.mustDecide(reviewer, c, domain.Approved)
	object := w.object(agent, c.ID)
	if diff := cmp.Diff(map[string]any{"protocolVersion": "1.0.0"}, object["meta"]); diff != "" {
		t.Errorf("meta (-want +got):\n%s", diff)
	}
	documented := []string{"meta", "confirm_id", "target_type", "target_id", "status", "requested_by_role", "requested_at",
		"reason", "decisions", "trace", "events", "governance"}
	for name := range object {
		if !slices.Contains(documented, name) {
			t.Errorf("a confirm has no member %s", name)
		}
	}
}

// TestC3_CrashNeverApproves opens what is on disk at some moment, as after a
// kill, while the first server is still running. The signing key is beside it.
func TestC3_CrashNeverApproves(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	agent, reviewer := w.worker(), w.user("reviewer", "reviewer")
	plan := w.running(agent, reviewer, "p")
	c := w.post(agent, `{"target_type":"plan","target_id":"p","step_id":"s2"}`)
	call := w.post(agent, toolCall)

	image := filepath.Join(t.TempDir(), "countersign.db")
	for _, suffix := range []string{"", "-wal", ".key"} {
		data, err := os.ReadFile(w.file + suffix)
		if err == nil {
			err = os.WriteFile(image+suffix, data, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	after := openWorld(t, image)
	for _, id := range []string{c.ID, call.ID} {
		if got := after.outcome(id).Confirm.Status; got != domain.Pending {
			t.Errorf("confirm %s is %s after the crash", id, got)
		}
	}
	if got := after.gate(agent, plan, "s2"); got != "BLOCK pending" {
		t.Errorf("the gate says %s after the crash", got)
	}
	after.pass(time.Hour)
	if got := after.outcome(call.ID).Confirm.Status; got != domain.Rejected {
		t.Errorf("a timeout after the crash makes it %s", got)
	}
}

func TestC13_C33_DecisionsKeepTheirOrder(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	agent, reviewer := w.key("bot", "planner", "executor"), w.user("reviewer", "reviewer")
	ids := func(c *domain.Confirm) (list []string) {
		decisions, _ := w.object(agent, c.ID)["decisions"].([]any)
		for _, d := range decisions {
			list = append(list, d.(map[string]any)["decision_id"].(string))
		}
		return list
	}
	imported := w.post(agent, `{"target_type":"plan","target_id":"p","status":"approved","decisions":[
		{"decision_id":"z","status":"rejected","decided_by_role":"dba"},{"decision_id":"a","status":"approved","decided_by_role":"dba"}]}`)
	if diff := cmp.Diff([]string{"z", "a"}, ids(imported)); diff != "" {
		t.Errorf("a history that was posted (-want +got):\n%s", diff)
	}
	for id, body := range map[string]string{"to-none": toolCall, "to-an-empty-list": `{"decisions":[],` + toolCall[1:]} {
		c := w.post(agent, body)
		if _, err := w.Decide(w.ctx, reviewer, c.ID, domain.DecisionInput{Status: domain.Approved, ContentHash: c.ContentHash, DecisionID: id}); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff([]string{id}, ids(c)); diff != "" {
			t.Errorf("appended %s (-want +got):\n%s", id, diff)
		}
	}
}

func TestC19_C23_C34_DecisionRecord(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	agent, reviewer := w.key("bot", "executor"), w.user("reviewer", "reviewer")
	for _, tt := range []struct {
		name   string
		in     domain.DecisionInput
		record map[string]any
	}{
		{"C-19 an id that was sent is kept", domain.DecisionInput{Status: domain.Approved, DecisionID: "dec-441-z9", Reason: "Checked"},
			map[string]any{"decision_id": "dec-441-z9", "status": "approved", "reason": "Checked"}},
		{"C-23 no reason is needed", domain.DecisionInput{Status: domain.Approved}, map[string]any{"status": "approved"}},
		{"C-34 the confirm is rejected with it", domain.DecisionInput{Status: domain.Rejected}, map[string]any{"status": "rejected"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := w.post(agent, toolCall)
			tt.in.ContentHash = c.ContentHash
			if _, err := w.Decide(w.ctx, reviewer, c.ID, tt.in); err != nil {
				t.Fatal(err)
			}
			object := w.object(agent, c.ID)
			record := object["decisions"].([]any)[0].(map[string]any)
			if id, err := uuid.Parse(record["decision_id"].(string)); tt.in.DecisionID == "" && (err != nil || id.Version() != 4) {
				t.Errorf("the generated id is %v", record["decision_id"])
			} else if tt.in.DecisionID == "" {
				tt.record["decision_id"] = record["decision_id"]
			}
			tt.record["decided_by_role"], tt.record["decided_at"] = "reviewer", "2026-01-02T03:04:05.000Z"
			if diff := cmp.Diff(tt.record, record); diff != "" {
				t.Errorf("record (-want +got):\n%s", diff)
			}
			if object["status"] != tt.record["status"] {
				t.Errorf("the confirm is %v", object["status"])
			}
		})
	}
}

func TestC27_FeedbackReachesTheAgent(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	agent, reviewer := w.key("bot", "planner"), w.user("reviewer", "reviewer")
	plan := w.plan(agent, "p-1")
	c := w.propose(agent, plan)
	in := domain.DecisionInput{Status: domain.Rejected, ContentHash: c.ContentHash, Reason: "Test first", UserEditContent: "Add a step that tests", Intent: domain.IntentRequestChanges}
	if _, err := w.Decide(w.ctx, reviewer, c.ID, in); err != nil {
		t.Fatal(err)
	}
	if got := w.planStatus(plan); got != domain.PlanDraft {
		t.Errorf("the plan is %s", got)
	}
	o, err := w.Outcome(w.ctx, agent, c.ID, 0)
	if err != nil || o.Text != "Test first" || o.Decision.UserEditContent != "Add a step that tests" {
		t.Errorf("the agent is told %+v %v", o, err)
	}
	revised, err := mplp.ParsePlan([]byte(`{"context_id":"ctx-1","title":"T","objective":"O","steps":[{"step_id":"t","description":"Test"}]}`), w.Limits().MPLP())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.RevisePlan(w.ctx, agent, plan, revised); err != nil {
		t.Errorf("the agent cannot modify the plan: %v", err)
	}
}

var milliseconds = regexp.MustCompile(`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$`)

func TestC29_C30_C32_ProposalIsAConfirm(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	agent := w.key("bot", "planner")
	plan := w.plan(agent, "p-1")
	c := w.propose(agent, plan)
	if got := w.planStatus(plan); got != domain.PlanProposed {
		t.Errorf("C-29: the plan is %s", got)
	}
	object := w.object(agent, c.ID)
	if id, err := uuid.Parse(c.ID); err != nil || id.Version() != 4 {
		t.Errorf("C-30: confirm_id %s is no UUID v4", c.ID)
	}
	if at, _ := object["requested_at"].(string); !milliseconds.MatchString(at) {
		t.Errorf("C-30: requested_at %q", at)
	}
	delete(object, "requested_at")
	want := map[string]any{
		"meta": map[string]any{"protocolVersion": "1.0.0"}, "confirm_id": c.ID, "target_type": "plan", "target_id": "p-1",
		"status": "pending", "requested_by_role": "planner", "reason": "Requesting approval for plan: Fix the login",
	}
	if diff := cmp.Diff(want, object); diff != "" {
		t.Errorf("C-30: the confirm (-want +got):\n%s", diff)
	}
	native, err := w.ConfirmJSON(w.ctx, agent, c.ID)
	if err != nil {
		t.Fatal(err)
	}
	canonical, err := mplp.CanonicalConfirm(native.Native, mplp.ConfirmExtra{})
	if err != nil {
		t.Fatal(err)
	}
	if err := mplp.ValidateStrict("confirm", canonical, w.Limits().MPLP()); err != nil {
		t.Errorf("C-32: its canonical form breaks: %v", err)
	}
}

func TestC35_C39_OtherTargetsAreLeftAlone(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	agent, reviewer := w.worker(), w.user("reviewer", "reviewer")
	w.context(agent, "same-id", "active")
	plan := w.plan(agent, "same-id")
	onPlan := w.propose(agent, plan)
	onContext := w.post(agent, `{"target_type":"context","target_id":"same-id"}`)
	before, err := w.Context(w.ctx, agent, "same-id")
	if err != nil {
		t.Fatal(err)
	}

	w.mustDecide(reviewer, onContext, domain.Rejected)
	if got := w.planStatus(plan); got != domain.PlanProposed {
		t.Errorf("C-35: the confirm on the context moved the plan to %s", got)
	}
	w.mustDecide(reviewer, onPlan, domain.Approved)
	if got := w.planStatus(plan); got != domain.PlanApproved {
		t.Errorf("C-35: the plan is %s", got)
	}
	after, err := w.Context(w.ctx, agent, "same-id")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(before, after); diff != "" {
		t.Errorf("C-39: the context changed (-before +after):\n%s", diff)
	}
}

// failing is a store that loses its plans while it writes.
type failing struct{ domain.Store }

type failingTx struct{ domain.Tx }

var errDisk = errors.New("the disk is full")

func (f failing) Tx(ctx context.Context, fn func(domain.Tx) error) error {
	return f.Store.Tx(ctx, func(tx domain.Tx) error { return fn(failingTx{tx}) })
}

func (failingTx) UpdatePlan(*domain.Plan, domain.PlanStatus, []byte) error { return errDisk }

func TestC42_DecisionStatusTargetAndEventAreOneChange(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	agent, reviewer := w.key("bot", "planner"), w.user("reviewer", "reviewer")
	plan := w.plan(agent, "p-1")
	c := w.propose(agent, plan)
	before := w.entryTypes()

	broken := domain.NewService(failing{w.db}, domain.Config{Feed: w.feed, Now: w.now})
	if _, err := broken.Decide(w.ctx, reviewer, c.ID, domain.DecisionInput{Status: domain.Approved, ContentHash: c.ContentHash}); !errors.Is(err, errDisk) {
		t.Fatalf("%v, want the disk's failure", err)
	}
	if diff := cmp.Diff(before, w.entryTypes()); diff != "" {
		t.Errorf("the failure left entries (-before +after):\n%s", diff)
	}
	if object := w.object(agent, c.ID); object["status"] != "pending" || object["decisions"] != nil {
		t.Errorf("the failure left %v", object)
	}

	w.mustDecide(reviewer, c, domain.Approved)
	if diff := cmp.Diff(append(before, "confirm.approved", "plan.approved"), w.entryTypes()); diff != "" {
		t.Errorf("the log (-want +got):\n%s", diff)
	}
}

// TestC49_WritingAStatusIsNoDecision posts the object that the confirm module's
// addDecision changes.
func TestC49_WritingAStatusIsNoDecision(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	agent := w.key("bot", "executor")
	const body = `{"confirm_id":"c-1",` + `"target_type":"other","actions":[{"name":"x","args":{}}]}`
	c := w.post(agent, body)
	for name, mutated := range map[string]string{
		"status":    `{"status":"approved",` + body[1:],
		"decisions": `{"status":"approved","decisions":[{"decision_id":"d","status":"approved","decided_by_role":"executor","decided_at":"2026-01-02T03:04:05.000Z"}],` + body[1:],
	} {
		_, err := w.tryPost(agent, mutated)
		if domain.ErrorCode(err) != domain.CodeIDTaken {
			t.Errorf("%s: %v, want it refused", name, err)
		}
	}
	if got := w.outcome(c.ID).Confirm.Status; got != domain.Pending {
		t.Errorf("the confirm is %s", got)
	}
}

// TestC53_FooterHolds goes through what the confirm module sums up at its end.
func TestC53_FooterHolds(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	agent, reviewer := w.key("bot", "planner", w.role("asker", "confirm.request")), w.user("reviewer", "reviewer")
	for _, target := range []string{"context", "plan", "trace", "extension", "other"} {
		for _, to := range []domain.Status{domain.Approved, domain.Rejected, domain.Cancelled} {
			c := w.post(agent, `{"target_type":"`+target+`","target_id":"t-1"}`)
			object := w.object(agent, c.ID)
			for _, name := range []string{"meta", "confirm_id", "target_type", "target_id", "status", "requested_by_role", "requested_at"} {
				if object[name] == nil {
					t.Errorf("%s: no %s", target, name)
				}
			}
			if object["status"] != "pending" {
				t.Errorf("%s: begins as %v", target, object["status"])
			}
			var err error
			if to == domain.Cancelled {
				_, err = w.CancelConfirm(w.ctx, agent, c.ID, "")
			} else {
				_, err = w.decide(reviewer, c, to)
			}
			if err != nil || w.outcome(c.ID).Confirm.Status != to {
				t.Errorf("%s: %v, want %s", target, err, to)
			}
		}
	}
	plan := w.plan(agent, "p-1")
	w.mustDecide(reviewer, w.propose(agent, plan), domain.Approved)
	if got := w.planStatus(plan); got != domain.PlanApproved {
		t.Errorf("the plan is %s", got)
	}
}
