package domain_test

import (
	"bytes"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"countersign/domain"
	"countersign/domain/evidence"
)

// TestF1_AuthorisedAgentDecidesAndIsToldApart lets a person and an agent
// approve.
func TestF1_AuthorisedAgentDecidesAndIsToldApart(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	reviewer := w.user("reviewer", "reviewer")
	authorised := w.keyFor(domain.KeyInput{Name: "authorised", Roles: []string{"reviewer"}, Owner: "reviewer", MayDecide: true})
	plain := w.keyFor(domain.KeyInput{Name: "plain", Roles: []string{"reviewer"}, Owner: "reviewer"})
	agent := w.key("bot", "executor", "reviewer")
	for _, tt := range []struct {
		name  string
		by    domain.Ref
		cause domain.Cause
		code  domain.Code
	}{
		{"a person", reviewer, domain.CauseHuman, ""},
		{"an authorised agent", authorised, domain.CauseAgent, ""},
		{"an agent that is not authorised", plain, "", domain.CodeNotFound},
		{"the agent itself", agent, "", domain.CodeMissingCapability},
	} {
		c := w.post(agent, `{"requested_by_role":"executor",`+toolCall[1:])
		_, err := w.decide(tt.by, c, domain.Approved)
		w.wantCode(err, tt.code)
		if got := w.outcome(c.ID).Confirm; got.Cause != tt.cause || got.IsFinal() != (tt.code == "") {
			t.Errorf("%s: %s by %q, want %q", tt.name, got.Status, got.Cause, tt.cause)
		}
	}
}

// TestF2_F3_F4_F5_F6_RiskFlow follows the risk flow's steps: a running plan
// comes to a step of high risk.
func TestF2_F3_F4_F5_F6_RiskFlow(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		status domain.Status
		gate   string
		plan   domain.PlanStatus
	}{
		{"F-6 approved: the runtime goes on", domain.Approved, "RESUME approved", domain.PlanInProgress},
		{"F-6 rejected: the runtime aborts the plan", domain.Rejected, "ABORT rejected", domain.PlanCancelled},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			agent, reviewer, coder := w.worker(), w.user("reviewer", "reviewer"), w.user("coder", "coder")
			plan := w.running(agent, reviewer, "plan-550-abc")
			c := w.post(agent, `{"confirm_id":"conf-8829-x1","target_type":"plan","target_id":"plan-550-abc","requested_by_role":"executor-agent",
				"reason":"Step 3 costs more than 500 USD","trace":{"trace_id":"trace-990-def","span_id":"span-step-3"}}`)
			if c.Status != domain.Pending || c.StepID != "s3" {
				t.Fatalf("F-2, F-3: %s on step %q", c.Status, c.StepID)
			}
			if got := w.gate(agent, plan, "s3"); got != "BLOCK pending" {
				t.Errorf("F-4: the gate says %s", got)
			}
			if got := w.gate(agent, plan, "s2"); got != "RESUME approved" {
				t.Errorf("F-4: the gate says %s of another step", got)
			}
			_, err := w.decide(coder, c, tt.status)
			w.wantCode(err, domain.CodeMissingCapability)
			if got := w.outcome(c.ID).Confirm.Status; got != domain.Pending {
				t.Errorf("F-5: a role without the right made it %s", got)
			}
			w.mustDecide(reviewer, c, tt.status)
			if got := w.gate(agent, plan, "s3"); got != tt.gate {
				t.Errorf("F-6: the gate says %s, want %s", got, tt.gate)
			}
			if got := w.planStatus(plan); got != tt.plan {
				t.Errorf("F-6: the plan is %s, want %s", got, tt.plan)
			}
		})
	}
}

// TestF11_F12_F13_F14_VerdictAndEvent holds the gate's answer and the trace's
// event together.
func TestF11_F12_F13_F14_VerdictAndEvent(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, event, gate string
		status            domain.Status
	}{
		{"F-11 pending", "confirm.requested", "BLOCK pending", domain.Pending},
		{"F-12 approved", "confirm.approved", "RESUME approved", domain.Approved},
		{"F-13 rejected", "confirm.rejected", "ABORT rejected", domain.Rejected},
		{"F-14 cancelled", "confirm.cancelled", "CLEANUP cancelled", domain.Cancelled},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			agent, reviewer := w.worker(), w.user("reviewer", "reviewer")
			plan := w.running(agent, reviewer, "p")
			c := w.post(agent, `{"target_type":"plan","target_id":"p","step_id":"s2","trace":{"trace_id":"trace-1"}}`)
			switch tt.status {
			case domain.Cancelled:
				if _, err := w.CancelConfirm(w.ctx, agent, c.ID, ""); err != nil {
					t.Fatal(err)
				}
			case domain.Approved, domain.Rejected:
				w.mustDecide(reviewer, c, tt.status)
			}
			if got := w.gate(agent, plan, "s2"); got != tt.gate {
				t.Errorf("the gate says %s, want %s", got, tt.gate)
			}
			events := eventTypes(w.events(domain.EventFilter{ConfirmID: c.ID, TraceID: "trace-1"}))
			if !slices.Contains(events, tt.event) {
				t.Errorf("the trace has %v, not %s", events, tt.event)
			}
		})
	}
}

// unaccounted folds the log's rows and lists those of the database that differ.
func (w *world) unaccounted() (list []string) {
	w.t.Helper()
	logged := map[string][]byte{}
	entries, err := w.Entries(w.ctx, domain.System, domain.EntryFilter{Limit: 10_000})
	if err != nil {
		w.t.Fatal(err)
	}
	for _, e := range entries {
		for _, row := range e.Rows {
			logged[row.Table+" "+row.Key] = row.Digest
		}
	}
	err = w.db.Rows(w.ctx, func(table, key string, digest []byte) error {
		if name := table + " " + key; !bytes.Equal(logged[name], digest) {
			list = append(list, table)
		} else {
			delete(logged, name)
		}
		return nil
	})
	if err != nil {
		w.t.Fatal(err)
	}
	for name, digest := range logged {
		if table, _, _ := strings.Cut(name, " "); digest != nil && !slices.Contains(list, table) {
			list = append(list, table)
		}
	}
	return list
}

// TestF16_LogBindsTheDecisionToItsTrace decides, changes one byte of the file
// and looks again.
func TestF16_LogBindsTheDecisionToItsTrace(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, text, table string }{
		{"untouched", "", ""},
		{"the reason of the decision", "Verified with the vendor", "decisions"},
		{"the arguments that were shown", `"symbol":"VNM"`, "confirm_contents"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			file := filepath.Join(t.TempDir(), "countersign.db")
			t.Run("decide", func(t *testing.T) { testEntryOfDecision(t, openWorld(t, file)) })
			flip(t, file, tt.text)
			t.Run("look again", func(t *testing.T) {
				var want []string
				if tt.table != "" {
					want = []string{tt.table}
				}
				if diff := cmp.Diff(want, openWorld(t, file).unaccounted()); diff != "" {
					t.Errorf("rows that the log does not account for (-want +got):\n%s", diff)
				}
			})
		})
	}
}

func testEntryOfDecision(t *testing.T, w *world) {
	agent, reviewer := w.key("bot", "executor"), w.user("reviewer", "reviewer")
	c := w.post(agent, `{"trace":{"trace_id":"trace-990-def","span_id":"span-1"},`+toolCall[1:])
	in := domain.DecisionInput{Status: domain.Approved, ContentHash: c.ContentHash, Reason: "Verified with the vendor"}
	if _, err := w.Decide(w.ctx, reviewer, c.ID, in); err != nil {
		t.Fatal(err)
	}
	entries, err := w.Entries(w.ctx, domain.System, domain.EntryFilter{TraceID: "trace-990-def", Type: "confirm.approved"})
	if err != nil || len(entries) != 1 {
		t.Fatalf("%d entries of the trace, %v", len(entries), err)
	}
	e := entries[0]
	if e.ConfirmID != c.ID || e.ContentHash != c.ContentHash || e.SpanID != "span-1" || e.Principal != reviewer.String() {
		t.Errorf("the entry is %+v", e)
	}
	tables := map[string]bool{}
	for _, row := range e.Rows {
		tables[row.Table] = len(row.Digest) > 0
	}
	if diff := cmp.Diff(map[string]bool{"confirms": true, "decisions": true}, tables); diff != "" {
		t.Errorf("rows of the entry (-want +got):\n%s", diff)
	}
	if want := []evidence.EntryDecision{{Type: "approve", ArgsHash: evidence.ArgsHash([]byte(`{"symbol":"VNM","quantity":100}`))}}; !cmp.Equal(want, e.Decisions) {
		t.Errorf("decisions of the entry %+v, want %+v", e.Decisions, want)
	}
}

// flip changes one byte of a text in a file.
func flip(t *testing.T, file, text string) {
	t.Helper()
	if text == "" {
		return
	}
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	at := bytes.Index(data, []byte(text))
	if at < 0 {
		t.Fatalf("the file does not have %q", text)
	}
	data[at+len(text)/2] ^= 1
	if err := os.WriteFile(file, data, 0o600); err != nil {
		t.Fatal(err)
	}
}

// TestF17_ApprovalWithoutARecordProvesNothing imports an approved confirm
// without decisions.
func TestF17_ApprovalWithoutARecordProvesNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	agent := w.worker()
	plan := w.running(agent, w.user("reviewer", "reviewer"), "p")
	pending := w.post(agent, `{"target_type":"plan","target_id":"p","step_id":"s2"}`)
	c := w.post(agent, `{"target_type":"plan","target_id":"p","step_id":"s2","status":"approved"}`)
	o := w.outcome(c.ID)
	if !o.Confirm.Imported || o.Confirm.Cause != domain.CauseImport || o.Decision != nil || !strings.Contains(o.Text, "prove nothing") {
		t.Errorf("%+v %q", o.Confirm, o.Text)
	}
	if got := w.gate(agent, plan, "s2"); got != "BLOCK pending" {
		t.Errorf("with the import the gate says %s", got)
	}
	_, err := w.Consume(w.ctx, agent, domain.ConsumeInput{ConfirmID: c.ID, ExecutionID: "e"})
	w.wantCode(err, domain.CodeInvalidTransition)
	if o := w.outcome(pending.ID); o.Confirm.Status != domain.Pending {
		t.Errorf("the import made the real one %s", o.Confirm.Status)
	}
}

// TestF18_SingleAgentFlowThatNeedsAConfirm is the golden flow: an agent's plan,
// rejected once, approved on the second round, and executed.
func TestF18_SingleAgentFlowThatNeedsAConfirm(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	agent, reviewer := w.worker(), w.user("reviewer", "reviewer")
	w.context(agent, "ctx-1", "active")
	plan := w.plan(agent, "p-1")
	first := w.propose(agent, plan)
	w.mustDecide(reviewer, first, domain.Rejected)
	second := w.propose(agent, plan)
	w.mustDecide(reviewer, second, domain.Approved)
	if _, err := w.StartPlan(w.ctx, agent, plan); err != nil {
		t.Fatal(err)
	}
	for _, step := range []string{"s1", "s2", "s3"} {
		if got := w.gate(agent, plan, step); got != "RESUME approved" {
			t.Errorf("the gate says %s of %s", got, step)
		}
		if _, err := w.Consume(w.ctx, agent, domain.ConsumeInput{ConfirmID: second.ID, ExecutionID: step, StepID: step}); err != nil {
			t.Errorf("consume for %s: %v", step, err)
		}
		w.mustStep(agent, plan, step, domain.StepInProgress, domain.StepCompleted)
	}
	if got := w.planStatus(plan); got != domain.PlanCompleted {
		t.Errorf("the plan is %s", got)
	}
	want := map[string]any{first.ID: "rejected", second.ID: "approved"}
	got := map[string]any{}
	for id := range maps.Keys(want) {
		decisions := w.object(agent, id)["decisions"].([]any)
		got[id] = decisions[0].(map[string]any)["status"]
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the records of both rounds (-want +got):\n%s", diff)
	}
}
