package domain_test

import (
	"slices"
	"testing"
	"time"

	"countersign/domain"
	"countersign/domain/evidence"
	"countersign/domain/mplp"
)

func (w *world) gate(ref domain.Ref, plan, step string) string {
	w.t.Helper()
	v, err := w.Gate(w.ctx, ref, domain.GateQuery{PlanID: plan, StepID: step})
	if err != nil {
		w.t.Fatal(err)
	}
	if v.Allows() != (v.Verdict == domain.VerdictResume) {
		w.t.Errorf("allow %v with %s", v.Allows(), v.Verdict)
	}
	return v.Verdict + " " + v.Code
}

func TestF11_F14_GateFollowsTheStepsConfirm(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	agent, reviewer := w.worker(), w.user("reviewer", "reviewer")
	ask := func(plan, members string) *domain.Confirm {
		return w.post(agent, `{"target_type":"plan","target_id":"`+plan+`"`+members+`}`)
	}
	check := func(name, plan, step, want string) {
		t.Helper()
		if got := w.gate(agent, plan, step); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
	id := w.running(agent, reviewer, "p")
	check("approved as a whole", id, "s1", "RESUME approved")
	check("unknown step", id, "s9", "BLOCK unknown")
	check("unknown plan", "nope", "s1", "BLOCK unknown")

	c := ask(id, `,"step_id":"s2"`)
	check("F-11 pending", id, "s2", "BLOCK pending")
	check("another step", id, "s1", "RESUME approved")
	w.mustDecide(reviewer, c, domain.Approved)
	check("F-12 approved", id, "s2", "RESUME approved")
	if got := w.planStatus(id); got != domain.PlanInProgress {
		t.Errorf("approving a step moved the plan to %s", got)
	}
	c = ask(id, `,"step_id":"s2"`)
	if _, err := w.CancelConfirm(w.ctx, agent, c.ID, ""); err != nil {
		t.Fatal(err)
	}
	check("F-14 cancelled, the latest counts", id, "s2", "CLEANUP cancelled")

	c = ask(id, `,"step_id":"s3","on_reject":"recover"`)
	w.mustDecide(reviewer, c, domain.Rejected)
	check("recover", id, "s3", "BLOCK recover")
	if got := w.planStatus(id); got != domain.PlanInProgress {
		t.Errorf("recover moved the plan to %s", got)
	}
	c = ask(id, `,"trace":{"trace_id":"t","span_id":"nowhere"}`)
	check("unbound and pending blocks all", id, "s1", "BLOCK pending")
	if _, err := w.CancelConfirm(w.ctx, agent, c.ID, ""); err != nil {
		t.Fatal(err)
	}
	check("unbound and cancelled does not", id, "s1", "RESUME approved")

	c = ask(id, `,"step_id":"s4"`)
	w.mustDecide(reviewer, c, domain.Rejected)
	check("F-13 rejected", id, "s4", "ABORT rejected")
	if got := w.planStatus(id); got != domain.PlanCancelled {
		t.Errorf("F-13 the plan is %s", got)
	}
	check("the plan has ended", id, "s1", "BLOCK cancelled")
}

// A confirm may name a plan before there is one. Who asked for it gates no plan of
// another group with it, and nobody ends it by changing that plan.
func TestT01_PlanIsGatedByItsOwnGroup(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	agent, reviewer := w.worker(), w.user("reviewer", "reviewer")
	w.user("owner", "reviewer")
	other := w.keyFor(domain.KeyInput{Name: "other", Roles: []string{"executor", "planner"}, Owner: "owner"})
	pending := w.post(other, `{"target_type":"plan","target_id":"first"}`)
	unbound := w.post(other, `{"target_type":"plan","target_id":"second","step_id":"s1"}`)
	w.mustDecide(reviewer, unbound, domain.Rejected)
	own := w.post(agent, `{"target_type":"plan","target_id":"third","step_id":"s1"}`)
	for id, want := range map[string]string{"first": "RESUME approved", "second": "RESUME approved", "third": "BLOCK pending"} {
		if got := w.gate(agent, w.running(agent, reviewer, id), "s1"); got != want {
			t.Errorf("%s: %s, want %s", id, got, want)
		}
		detail, err := w.Plan(w.ctx, agent, id)
		if err != nil {
			t.Fatal(err)
		}
		rows, _, err := w.PlanRows(w.ctx, agent, domain.PlanFilter{}, domain.Page{})
		if err != nil {
			t.Fatal(err)
		}
		row := rows[slices.IndexFunc(rows, func(row *domain.PlanRow) bool { return row.ID == id })]
		if waiting := map[string]int{"third": 1}[id]; row.Waiting != waiting {
			t.Errorf("%s is listed with %d waiting, want %d", id, row.Waiting, waiting)
		}
		for _, c := range detail.Confirms {
			if c.ID == pending.ID || c.ID == unbound.ID {
				t.Errorf("%s shows the confirm %s of another group", id, c.ID)
			}
		}
		if _, err := w.CancelPlan(w.ctx, agent, id, ""); err != nil {
			t.Fatal(err)
		}
	}
	if got := w.outcome(pending.ID).Confirm.Status; got != domain.Pending {
		t.Errorf("the other's confirm is %s", got)
	}
	if got := w.outcome(own.ID).Confirm.Status; got != domain.Cancelled {
		t.Errorf("the plan's own confirm is %s", got)
	}
}

func TestF15_GateFailsClosed(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	agent, reviewer := w.worker(), w.user("reviewer", "reviewer")
	id := w.plan(agent, "draft")
	if got := w.gate(agent, id, "s1"); got != "BLOCK draft" {
		t.Error(got)
	}
	w.post(agent, `{"target_type":"plan","target_id":"draft","status":"approved","decisions":[{"status":"approved","decided_by_role":"reviewer"}]}`)
	if got := w.gate(agent, id, "s1"); got != "BLOCK draft" {
		t.Errorf("an import counts: %s", got)
	}
	in, err := mplp.ParsePlan([]byte(`{"plan_id":"imp","context_id":"c","title":"T","objective":"O","status":"in_progress","steps":[{"step_id":"s1","description":"D","status":"completed"}]}`), w.Limits().MPLP())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.PostPlan(w.ctx, agent, in); err != nil {
		t.Fatal(err)
	}
	if got := w.gate(agent, "imp", "s1"); got != "BLOCK imported" {
		t.Error(got)
	}
	_, err = w.Gate(w.ctx, agent, domain.GateQuery{PlanID: id})
	w.wantCode(err, domain.CodeInvalid)
	_, err = w.Gate(w.ctx, reviewer, domain.GateQuery{PlanID: id, StepID: "s1"})
	w.wantCode(err, domain.CodeMissingCapability)

	// A confirm on a plan that was not there yet approves nothing that comes later.
	c := w.post(agent, `{"target_type":"plan","target_id":"late"}`)
	w.mustDecide(reviewer, c, domain.Approved)
	w.plan(agent, "late")
	if got := w.gate(agent, "late", "s1"); got != "BLOCK draft" {
		t.Error(got)
	}
}

func TestGate_ChecksTheActionThatRuns(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	agent, reviewer := w.worker(), w.user("reviewer", "reviewer")
	id := w.running(agent, reviewer, "p")
	c := w.post(agent, `{"target_type":"other","plan_id":"p","step_id":"s2","actions":[{"name":"pay","args":{"eur":100},"tool_use_id":"tu-1"}]}`)
	edited := []byte(`{"eur":50}`)
	if _, err := w.Decide(w.ctx, reviewer, c.ID, domain.DecisionInput{ContentHash: c.ContentHash,
		Actions: []mplp.ActionDecision{{Type: "edit", Name: "pay", Args: edited}}}); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name, tool, hash, want string
	}{
		{"unasked", "", "", "RESUME approved"},
		{"the edited arguments", "tu-1", evidence.ArgsHash(edited), "RESUME approved"},
		{"by hash alone", "", evidence.ArgsHash(edited), "RESUME approved"},
		{"the original arguments", "tu-1", evidence.ArgsHash([]byte(`{"eur":100}`)), "BLOCK action"},
		{"another tool use", "tu-2", "", "BLOCK action"},
	} {
		v, err := w.Gate(w.ctx, agent, domain.GateQuery{PlanID: id, StepID: "s2", ToolUseID: tt.tool, ArgsHash: tt.hash})
		if err != nil || v.Verdict+" "+v.Code != tt.want {
			t.Errorf("%s: %+v %v, want %s", tt.name, v, err, tt.want)
		}
	}
}

func TestGate_WaitEndsWithTheDecision(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	agent, reviewer := w.worker(), w.user("reviewer", "reviewer")
	id := w.running(agent, reviewer, "p")
	c := w.post(agent, `{"target_type":"plan","target_id":"p","step_id":"s2"}`)
	verdict := make(chan *domain.GateVerdict)
	go func() {
		v, err := w.Gate(w.ctx, agent, domain.GateQuery{PlanID: id, StepID: "s2", Wait: time.Minute})
		if err != nil {
			t.Error(err)
		}
		verdict <- v
	}()
	w.mustDecide(reviewer, c, domain.Approved)
	if v := <-verdict; !v.Allows() {
		t.Errorf("%+v", v)
	}
}

func TestGate_DeadlineIsSettledFirst(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	agent, reviewer := w.worker(), w.user("reviewer", "reviewer")
	id := w.running(agent, reviewer, "p")
	w.post(agent, `{"target_type":"plan","target_id":"p","step_id":"s2","timeout":10}`)
	w.pass(10 * time.Second)
	if got := w.gate(agent, id, "s2"); got != "ABORT rejected" {
		t.Error(got)
	}
	if got := w.planStatus(id); got != domain.PlanCancelled {
		t.Errorf("the plan is %s", got)
	}
}

func TestConsume_OncePerPartOfAnApproval(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	agent, reviewer := w.worker(), w.user("reviewer", "reviewer")
	id := w.running(agent, reviewer, "p")
	detail, err := w.Plan(w.ctx, agent, id)
	if err != nil {
		t.Fatal(err)
	}
	whole := detail.Confirms[0].ID
	zero, one, two := int64(0), int64(1), int64(2)
	mixed := w.post(agent, twoCalls)
	in := domain.DecisionInput{ContentHash: mixed.ContentHash, Actions: []mplp.ActionDecision{{Type: "approve"}, {Type: "reject"}}}
	if _, err := w.Decide(w.ctx, reviewer, mixed.ID, in); err != nil {
		t.Fatal(err)
	}
	rejected := w.post(agent, `{"target_type":"plan","target_id":"p","step_id":"s2","on_reject":"recover"}`)
	w.mustDecide(reviewer, rejected, domain.Rejected)
	pending := w.post(agent, toolCall)
	hash := evidence.ArgsHash([]byte(`{"table":"users"}`))

	for _, tt := range []struct {
		name string
		in   domain.ConsumeInput
		want domain.Code
	}{
		{"whole plan, no step", domain.ConsumeInput{ConfirmID: whole, ExecutionID: "e1"}, domain.CodeInvalid},
		{"whole plan, a step", domain.ConsumeInput{ConfirmID: whole, ExecutionID: "e1", StepID: "s1"}, ""},
		{"the same execution again", domain.ConsumeInput{ConfirmID: whole, ExecutionID: "e1", StepID: "s1"}, ""},
		{"another execution", domain.ConsumeInput{ConfirmID: whole, ExecutionID: "e2", StepID: "s1"}, domain.CodeConsumed},
		{"another step", domain.ConsumeInput{ConfirmID: whole, ExecutionID: "e2", StepID: "s3"}, ""},
		{"no such step", domain.ConsumeInput{ConfirmID: whole, ExecutionID: "e2", StepID: "s9"}, domain.CodeInvalid},
		{"actions need an index", domain.ConsumeInput{ConfirmID: mixed.ID, ExecutionID: "e", ArgsHash: hash}, domain.CodeInvalid},
		{"an index beyond", domain.ConsumeInput{ConfirmID: mixed.ID, ExecutionID: "e", Action: &two, ArgsHash: hash}, domain.CodeInvalid},
		{"a hash is needed", domain.ConsumeInput{ConfirmID: mixed.ID, ExecutionID: "e", Action: &zero}, domain.CodeInvalid},
		{"the approved action of a mixed decision", domain.ConsumeInput{ConfirmID: mixed.ID, ExecutionID: "e", Action: &zero, ArgsHash: hash}, ""},
		{"the rejected one", domain.ConsumeInput{ConfirmID: mixed.ID, ExecutionID: "e", Action: &one, ArgsHash: hash}, domain.CodeInvalidTransition},
		{"rejected", domain.ConsumeInput{ConfirmID: rejected.ID, ExecutionID: "e"}, domain.CodeInvalidTransition},
		{"pending", domain.ConsumeInput{ConfirmID: pending.ID, ExecutionID: "e", Action: &zero, ArgsHash: hash}, domain.CodeInvalidTransition},
		{"unknown", domain.ConsumeInput{ConfirmID: "nope", ExecutionID: "e"}, domain.CodeNotFound},
	} {
		if _, err := w.Consume(w.ctx, agent, tt.in); domain.ErrorCode(err) != tt.want {
			t.Errorf("%s: %v, want %q", tt.name, err, tt.want)
		}
	}
	other := w.post(agent, twoCalls)
	w.mustDecide(reviewer, other, domain.Approved)
	if _, err := w.Consume(w.ctx, agent, domain.ConsumeInput{ConfirmID: other.ID, ExecutionID: "e", Action: &zero, ArgsHash: evidence.ArgsHash([]byte(`{}`))}); domain.ErrorCode(err) != domain.CodeContentChanged {
		t.Errorf("arguments that nobody approved: %v", err)
	}
}

// An approval that speaks for no step of a plan that its requester sees lets nothing
// run, whichever step is named when it is to be used.
func TestConsume_NothingOfAnUnboundApproval(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	agent, reviewer := w.worker(), w.user("reviewer", "reviewer")
	w.user("owner", "reviewer")
	other := w.keyFor(domain.KeyInput{Name: "other", Roles: []string{"executor", "planner"}, Owner: "owner"})
	id := w.running(agent, reviewer, "p")
	const acts, zero = `,"actions":[{"name":"pay","args":{}}]`, int64(0)
	for _, tt := range []struct {
		name, post string
		by         domain.Ref
	}{
		{"no such step", `{"target_type":"plan","target_id":"p","step_id":"nowhere"}`, agent},
		{"no such step, with actions", `{"target_type":"plan","target_id":"p","step_id":"nowhere"` + acts + `}`, agent},
		{"no such step, about something else", `{"target_type":"other","plan_id":"p","step_id":"nowhere"` + acts + `}`, agent},
		{"another group's plan", `{"target_type":"plan","target_id":"p"}`, other},
		{"a step of another group's plan", `{"target_type":"other","plan_id":"p","step_id":"s1"` + acts + `}`, other},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := w.post(tt.by, tt.post)
			w.mustDecide(reviewer, c, domain.Approved)
			in := domain.ConsumeInput{ConfirmID: c.ID, ExecutionID: "e", StepID: "s1"}
			if c.Actions > 0 {
				in.Action, in.ArgsHash = new(zero), evidence.ArgsHash([]byte(`{}`))
			}
			if used, err := w.Consume(w.ctx, tt.by, in); domain.ErrorCode(err) != domain.CodeInvalidTransition {
				t.Errorf("used %+v, %v", used, err)
			}
		})
	}
	if got := w.gate(agent, id, "s1"); got != "RESUME approved" {
		t.Errorf("the plan's own step: %s", got)
	}
}

// A listener learns of every change once, whatever a filter leaves out.
func TestFollowEvents_GoesOnBehindWhatItLeftOut(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	agent, reviewer := w.worker(), w.user("reviewer", "reviewer")
	seen := make(chan string, 100)
	begin := domain.Cursor{Seq: -1}
	ended := make(chan error)
	go func() {
		ended <- w.FollowEvents(w.ctx, reviewer, domain.EventFilter{After: &begin, Type: "confirm.approved"}, listening(w.ctx, func(e domain.Event) error {
			seen <- e.Entry.ConfirmID
			return nil
		}))
	}()
	first := w.post(agent, toolCall)
	w.mustDecide(reviewer, first, domain.Approved)
	w.mustDecide(reviewer, w.post(agent, toolCall), domain.Rejected)
	second := w.post(agent, toolCall)
	w.mustDecide(reviewer, second, domain.Approved)
	for _, want := range []string{first.ID, second.ID} {
		if got := <-seen; got != want {
			t.Errorf("heard of %s, want %s", got, want)
		}
	}
	w.feed.Close()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}
