package domain_test

import (
	"strings"
	"testing"
	"time"

	"countersign/domain"
	"countersign/domain/evidence"
)

// payCall is a tool call for a step of the plan p.
func payCall(step, members string) string {
	return `{"target_type":"other","plan_id":"p","step_id":"` + step + `","actions":[{"name":"pay","args":{}},{"name":"tell","args":{}}]` + members + `}`
}

var noArgs = evidence.ArgsHash([]byte(`{}`))

// consume uses an approval and gives the code of the refusal, and what it says.
func (w *world) consume(ref domain.Ref, in domain.ConsumeInput) (code domain.Code, message string) {
	w.t.Helper()
	if in.ExecutionID == "" {
		in.ExecutionID = "e"
	}
	used, err := w.Consume(w.ctx, ref, in)
	if err == nil && used == nil {
		w.t.Error("neither used nor refused")
	}
	if err == nil {
		return "", ""
	}
	return domain.ErrorCode(err), domain.AsError(err).Message
}

// An approval is used only where the gate says RESUME because of it: what came
// after it counts for both.
func TestB4_ConsumeAsksTheGate(t *testing.T) {
	t.Parallel()
	const step = `{"target_type":"plan","target_id":"p","step_id":"s2","on_reject":"recover"`
	for _, tt := range []struct {
		name, gate, says string
		after            func(w *world, agent, reviewer domain.Ref)
	}{
		{"nothing came after", "RESUME approved", "", func(*world, domain.Ref, domain.Ref) {}},
		{"a confirm of the step is pending", "BLOCK pending", "pending", func(w *world, agent, _ domain.Ref) {
			w.post(agent, step+`}`)
		}},
		{"a tool call of the step is pending", "BLOCK pending", "pending", func(w *world, agent, _ domain.Ref) {
			w.post(agent, payCall("s2", ""))
		}},
		{"another confirm of the whole plan is pending", "BLOCK pending", "pending", func(w *world, agent, _ domain.Ref) {
			w.post(agent, `{"target_type":"plan","target_id":"p"}`)
		}},
		{"the step was rejected", "BLOCK recover", "recover", func(w *world, agent, reviewer domain.Ref) {
			w.mustDecide(reviewer, w.post(agent, step+`}`), domain.Rejected)
		}},
		{"a tool call of the step was rejected", "ABORT rejected", "rejected", func(w *world, agent, reviewer domain.Ref) {
			w.mustDecide(reviewer, w.post(agent, payCall("s2", "")), domain.Rejected)
		}},
		{"what names no step was rejected", "BLOCK unbound", "unbound", func(w *world, agent, reviewer domain.Ref) {
			w.mustDecide(reviewer, w.post(agent, `{"target_type":"plan","target_id":"p","step_id":"nowhere","on_reject":"recover"}`), domain.Rejected)
		}},
		{"the step's was cancelled", "CLEANUP cancelled", "cancelled", func(w *world, agent, _ domain.Ref) {
			if _, err := w.CancelConfirm(w.ctx, agent, w.post(agent, step+`}`).ID, ""); err != nil {
				w.t.Fatal(err)
			}
		}},
		{"the step's deadline has passed", "BLOCK recover", "recover", func(w *world, agent, _ domain.Ref) {
			w.post(agent, step+`,"timeout":10}`)
			w.pass(10 * time.Second)
		}},
		{"the step's deadline has passed, which ends the plan", "ABORT rejected", "rejected", func(w *world, agent, _ domain.Ref) {
			w.post(agent, `{"target_type":"plan","target_id":"p","step_id":"s2","timeout":10}`)
			w.pass(10 * time.Second)
		}},
		{"a later one of the whole plan was approved", "RESUME approved", "another approval", func(w *world, agent, reviewer domain.Ref) {
			w.mustDecide(reviewer, w.post(agent, `{"target_type":"plan","target_id":"p"}`), domain.Approved)
		}},
		{"the step has an approval of its own", "RESUME approved", "another approval", func(w *world, agent, reviewer domain.Ref) {
			w.mustDecide(reviewer, w.post(agent, step+`}`), domain.Approved)
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			agent, reviewer := w.worker(), w.user("reviewer", "reviewer")
			w.running(agent, reviewer, "p")
			whole := w.wholeApproval(agent, "p")
			tt.after(w, agent, reviewer)
			want, uses := domain.Code(""), 1
			if tt.says != "" {
				want, uses = domain.CodeInvalidTransition, 0
			}
			// It is asked before the gate, so that it has to settle deadlines itself.
			code, message := w.consume(agent, domain.ConsumeInput{ConfirmID: whole, StepID: "s2"})
			if code != want || !strings.Contains(message, tt.says) {
				t.Errorf("consume: %q %q, want %q with %q", code, message, want, tt.says)
			}
			if got := w.gate(agent, "p", "s2"); got != tt.gate {
				t.Errorf("the gate says %s, want %s", got, tt.gate)
			}
			if got := strings.Count(strings.Join(w.entryTypes(), " "), "confirm.consumed"); got != uses {
				t.Errorf("the log has %d uses, want %d", got, uses)
			}
		})
	}
}

// wholeApproval is the plan's latest confirm about all of it.
func (w *world) wholeApproval(ref domain.Ref, plan string) string {
	w.t.Helper()
	detail, err := w.Plan(w.ctx, ref, plan)
	if err != nil {
		w.t.Fatal(err)
	}
	return detail.Confirms[0].ID
}

// A deadline that has passed is settled first, whatever the confirm is about.
func TestB4_ConsumeSettlesTheDeadline(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	agent := w.worker()
	c := w.post(agent, toolCall)
	w.pass(time.Hour)
	code, message := w.consume(agent, domain.ConsumeInput{ConfirmID: c.ID, Action: new(int64), ArgsHash: noArgs})
	if code != domain.CodeInvalidTransition || strings.Contains(message, "pending") {
		t.Errorf("%q %q", code, message)
	}
	if got := w.outcome(c.ID).Confirm; got.Cause != domain.CauseTimeout {
		t.Errorf("the confirm is %s by %q", got.Status, got.Cause)
	}
}

// A step of a plan is used once, by whichever approval.
func TestN9_AStepIsUsedOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	agent, reviewer := w.worker(), w.user("reviewer", "reviewer")
	w.running(agent, reviewer, "p")
	approve := func(text string) string {
		c := w.post(agent, text)
		w.mustDecide(reviewer, c, domain.Approved)
		return c.ID
	}
	check := func(name string, in domain.ConsumeInput, want domain.Code) {
		t.Helper()
		if code, message := w.consume(agent, in); code != want {
			t.Errorf("%s: %q %q, want %q", name, code, message, want)
		}
	}
	step := func(id string) string {
		return `{"target_type":"plan","target_id":"p","step_id":"` + id + `"}`
	}
	action := func(confirm string, i int64, execution string) domain.ConsumeInput {
		return domain.ConsumeInput{ConfirmID: confirm, ExecutionID: execution, Action: &i, ArgsHash: noArgs}
	}
	whole := w.wholeApproval(agent, "p")

	check("the plan's, for s1", domain.ConsumeInput{ConfirmID: whole, StepID: "s1"}, "")
	check("the same execution", domain.ConsumeInput{ConfirmID: whole, StepID: "s1"}, "")
	own := approve(step("s1"))
	check("then the step's own", domain.ConsumeInput{ConfirmID: own, ExecutionID: "e2"}, domain.CodeConsumed)
	check("of the same execution", domain.ConsumeInput{ConfirmID: own}, domain.CodeConsumed)
	check("another step by the plan's", domain.ConsumeInput{ConfirmID: whole, StepID: "s3"}, "")

	own = approve(step("s2"))
	check("a step's own", domain.ConsumeInput{ConfirmID: own}, "")
	check("the same execution, naming the step", domain.ConsumeInput{ConfirmID: own, StepID: "s2"}, "")
	check("another execution", domain.ConsumeInput{ConfirmID: own, ExecutionID: "e2"}, domain.CodeConsumed)
	check("a later one of its own", domain.ConsumeInput{ConfirmID: approve(step("s2")), ExecutionID: "e2"}, domain.CodeConsumed)
	check("a tool call of it", action(approve(payCall("s2", "")), 0, "e2"), domain.CodeConsumed)
}

// Each action of a step's own approval is a part of its own; another approval of
// the step has none to add.
func TestN9_ActionsOfAStepAreUsedOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	agent, reviewer := w.worker(), w.user("reviewer", "reviewer")
	w.running(agent, reviewer, "p")
	approve := func(text string) string {
		c := w.post(agent, text)
		w.mustDecide(reviewer, c, domain.Approved)
		return c.ID
	}
	check := func(name, confirm, step string, i int64, execution string, want domain.Code) {
		t.Helper()
		in := domain.ConsumeInput{ConfirmID: confirm, StepID: step, ExecutionID: execution, Action: &i, ArgsHash: noArgs}
		if code, message := w.consume(agent, in); code != want {
			t.Errorf("%s: %q %q, want %q", name, code, message, want)
		}
	}
	call := approve(payCall("s2", ""))
	check("one action", call, "", 0, "e1", "")
	check("the other, by another execution", call, "s2", 1, "e2", "")
	check("the same execution again", call, "s2", 1, "e2", "")
	check("another execution", call, "", 0, "e2", domain.CodeConsumed)
	check("another call", approve(payCall("s2", "")), "", 0, "e3", domain.CodeConsumed)

	whole := approve(`{"target_type":"plan","target_id":"p","actions":[{"name":"pay","args":{}},{"name":"tell","args":{}}]}`)
	check("a call of the whole plan names no step", whole, "", 0, "e1", domain.CodeInvalid)
	check("it is for a step", whole, "s1", 0, "e1", "")
	check("the same is for no other step", whole, "s3", 0, "e1", domain.CodeConsumed)
	check("the other action is", whole, "s3", 1, "e1", "")

	types, err := w.Entries(w.ctx, domain.System, domain.EntryFilter{Type: "confirm.consumed"})
	if err != nil || len(types) != 4 || !strings.Contains(string(types[0].Data), `"step_id":"s2"`) {
		t.Errorf("%d uses in the log, the first %s, %v", len(types), types[0].Data, err)
	}
	if list := w.unaccounted(); len(list) > 0 {
		t.Errorf("rows that the log does not account for: %v", list)
	}
}

// A plan of another group lets nothing run, and what it has approved nobody uses.
func TestB4_AnotherGroupsPlanLetsNothingRun(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	agent, reviewer := w.worker(), w.user("reviewer", "reviewer")
	w.user("owner", "reviewer")
	other := w.keyFor(domain.KeyInput{Name: "other", Roles: []string{"executor", "planner"}, Owner: "owner"})
	w.running(agent, reviewer, "p")
	whole := w.wholeApproval(agent, "p")
	if code, _ := w.consume(other, domain.ConsumeInput{ConfirmID: whole, StepID: "s1"}); code != domain.CodeNotFound {
		t.Errorf("another group's approval: %q", code)
	}
	c := w.post(other, `{"target_type":"plan","target_id":"p"}`)
	w.mustDecide(reviewer, c, domain.Approved)
	if code, _ := w.consume(other, domain.ConsumeInput{ConfirmID: c.ID, StepID: "s1"}); code != domain.CodeInvalidTransition {
		t.Errorf("an approval of another group's plan: %q", code)
	}
	if code, message := w.consume(agent, domain.ConsumeInput{ConfirmID: whole, StepID: "s1"}); code != "" {
		t.Errorf("the plan's own: %q %q", code, message)
	}
}
