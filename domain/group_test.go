package domain_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"countersign/domain"
	"countersign/domain/mplp"
)

// Keys without an owner have nothing to do with each other: what the one asked
// for does not exist for the other.
func TestB6_KeysWithoutAnOwnerStandAlone(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.role("all", "plan.*", "confirm.request", "context.*", "trace.read")
	one, other, reviewer := w.key("one", "all"), w.key("other", "all"), w.user("reviewer", "reviewer")
	w.running(one, reviewer, "p")
	whole := w.wholeApproval(one, "p")
	pending := w.post(one, `{"confirm_id":"c","approval_key":"s_1","session_id":"s",`+toolCall[1:])
	in, err := mplp.ParseTraceObject([]byte(`{"trace_id":"t","context_id":"ctx-p"}`), w.Limits().MPLP())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.CreateTrace(w.ctx, one, in); err != nil {
		t.Fatal(err)
	}
	before := len(w.entryTypes())
	for name, try := range map[string]func() error{
		"reads its confirm":    func() error { _, err := w.Confirm(w.ctx, other, "c"); return err },
		"hears of the outcome": func() error { _, err := w.Outcome(w.ctx, other, "c", 0); return err },
		"cancels its confirm":  func() error { _, err := w.CancelConfirm(w.ctx, other, "c", ""); return err },
		"uses its approval": func() error {
			_, err := w.Consume(w.ctx, other, domain.ConsumeInput{ConfirmID: whole, StepID: "s1", ExecutionID: "e"})
			return err
		},
		"reads its plan":       func() error { _, err := w.Plan(w.ctx, other, "p"); return err },
		"cancels its plan":     func() error { _, err := w.CancelPlan(w.ctx, other, "p", ""); return err },
		"takes a step of it":   func() error { return w.step(other, "p", "s1", domain.StepInProgress) },
		"reads its context":    func() error { _, err := w.Context(w.ctx, other, "ctx-p"); return err },
		"reads its trace":      func() error { _, err := w.Trace(w.ctx, other, "t"); return err },
		"exports its evidence": func() error { _, err := w.ConfirmBundle(w.ctx, other, "c"); return err },
	} {
		if err := try(); domain.ErrorCode(err) != domain.CodeNotFound {
			t.Errorf("another key %s: %v", name, err)
		}
	}
	if _, err := w.tryPost(other, `{"confirm_id":"c","approval_key":"s_1","session_id":"s",`+toolCall[1:]); domain.ErrorCode(err) != domain.CodeIDTaken {
		t.Errorf("the same post by another key: %v", err)
	}
	if got := w.gate(other, "p", "s1"); got != "BLOCK unknown" {
		t.Errorf("another key asks the gate: %s", got)
	}
	if list, _, err := w.Confirms(w.ctx, other, domain.ConfirmFilter{}, domain.Page{}); err != nil || len(list) != 0 {
		t.Errorf("another key lists %d confirms, %v", len(list), err)
	}
	if list, _, err := w.Plans(w.ctx, other, domain.PlanFilter{}, domain.Page{}); err != nil || len(list) != 0 {
		t.Errorf("another key lists %d plans, %v", len(list), err)
	}
	if list, _, err := w.Events(w.ctx, other, domain.EventFilter{}); err != nil || len(list) != 0 {
		t.Errorf("another key reads %d events, %v", len(list), err)
	}
	if after := len(w.entryTypes()); after != before {
		t.Errorf("another key has left %d entries", after-before)
	}

	blocking := w.post(other, `{"target_type":"plan","target_id":"p"}`)
	if got := w.gate(one, "p", "s1"); got != "RESUME approved" {
		t.Errorf("with %s of another key the gate says %s", blocking.ID, got)
	}
	if _, err := w.CancelConfirm(w.ctx, one, pending.ID, ""); err != nil {
		t.Errorf("its own key: %v", err)
	}
}

// Whose group asked stands in the signed log, where a row can be held to it.
func TestB6_EntriesNameTheGroup(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	owner := w.user("owner", "reviewer")
	roles := []string{"architect", "executor"}
	lone := w.keyFor(domain.KeyInput{Name: "lone", Roles: roles})
	owned := w.keyFor(domain.KeyInput{Name: "owned", Roles: roles, Owner: "owner"})
	for id, who := range map[string]domain.Ref{lone.String(): lone, owner.String(): owned} {
		prefix := who.ID
		w.context(who, prefix+"-ctx", "active")
		w.plan(who, prefix+"-p")
		w.post(who, `{"confirm_id":"`+prefix+`-c",`+toolCall[1:])
		w.post(who, `{"confirm_id":"`+prefix+`-i","status":"approved",`+toolCall[1:])
		in, err := mplp.ParseTraceObject([]byte(`{"trace_id":"`+prefix+`-t","context_id":"x"}`), w.Limits().MPLP())
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.CreateTrace(w.ctx, who, in); err != nil {
			t.Fatal(err)
		}
		list, err := w.Entries(w.ctx, domain.System, domain.EntryFilter{Limit: 1000})
		if err != nil {
			t.Fatal(err)
		}
		found := map[string]bool{}
		for _, e := range list {
			if e.Principal != who.String() {
				continue
			}
			var facts struct {
				Group string `json:"requested_group"`
			}
			if err := json.Unmarshal(e.Data, &facts); err != nil || facts.Group != id {
				t.Errorf("%s of %s has the group %q, want %q", e.Type, who, facts.Group, id)
			}
			found[e.Type] = true
		}
		for _, kind := range strings.Fields("context.created plan.created confirm.requested confirm.imported trace.created") {
			if !found[kind] {
				t.Errorf("no %s of %s", kind, who)
			}
		}
	}
}

// What names another group's plan is like what names none: in the answer, in the
// log, in events, and in what becomes of it.
func TestB9_AnotherGroupsPlanIsLikeUnknown(t *testing.T) {
	t.Parallel()
	for name, members := range map[string]string{
		"the plan":          `"target_type":"plan","target_id":"PLAN"`,
		"a step of it":      `"target_type":"plan","target_id":"PLAN","step_id":"s1"`,
		"a call for a step": `"target_type":"other","target_id":"t","plan_id":"PLAN","step_id":"s1","actions":[{"name":"pay","args":{}}]`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			agent, reviewer := w.worker(), w.user("reviewer", "reviewer")
			other := w.key("other", "executor", w.role("planning", "plan.*", "trace.read"))
			w.running(agent, reviewer, "foreign")
			told := func(plan string) string {
				anonymous := func(v any) string {
					text, err := json.Marshal(v)
					if err != nil {
						t.Fatal(err)
					}
					return strings.ReplaceAll(string(text), plan, "PLAN")
				}
				posted, err := w.tryPost(other, `{"confirm_id":"of-`+plan+`",`+strings.ReplaceAll(members, "PLAN", plan)+`}`)
				if err != nil {
					t.Fatal(err)
				}
				c := posted.Confirm
				list := []string{anonymous(posted.Warnings), string(c.Binding), c.StepID, c.TargetHash, strings.ReplaceAll(c.PlanID, plan, "PLAN"), c.TraceID}
				w.mustDecide(reviewer, c, domain.Approved)
				in := domain.ConsumeInput{ConfirmID: c.ID, StepID: "s1", ArgsHash: noArgs, Action: new(int64)}
				code, message := w.consume(other, in)
				list = append(list, string(code), message, w.gate(other, plan, "s1"))
				entries, err := w.Entries(w.ctx, domain.System, domain.EntryFilter{ConfirmID: c.ID, Limit: 10})
				if err != nil {
					t.Fatal(err)
				}
				for _, e := range entries {
					list = append(list, anonymous([]any{e.Type, e.PlanID, e.TraceID, e.SpanID}))
				}
				for _, f := range []domain.EventFilter{{ConfirmID: c.ID}, {PlanID: plan}} {
					events, _, err := w.Events(w.ctx, other, f)
					if err != nil {
						t.Fatal(err)
					}
					for _, e := range events {
						for _, generated := range []string{"content_hash", "decision_id"} {
							delete(e.Facts, generated)
						}
						list = append(list, anonymous([]any{e.Type, e.Family, e.Facts}))
					}
				}
				return strings.Join(list, "\n")
			}
			unknown := told("nowhere")
			if diff := cmp.Diff(unknown, told("foreign")); diff != "" {
				t.Errorf("another group's (-unknown +foreign):\n%s", diff)
			}
			if !strings.Contains(unknown, `"plan_id":"PLAN"`) {
				t.Errorf("no event names what was asked for:\n%s", unknown)
			}
			if got := w.gate(agent, "foreign", "s1"); got != "RESUME approved" {
				t.Errorf("its own group is told %s", got)
			}
		})
	}
}
