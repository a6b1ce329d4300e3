package domain_test

import (
	"testing"

	"countersign/domain"
	"countersign/domain/mplp"
)

func TestC28_ProposeCreatesExactlyOneConfirm(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	agent := w.key("bot", "planner")
	id := w.plan(agent, "p-1")
	c, err := w.ProposePlan(w.ctx, agent, id, domain.ProposeInput{})
	if err != nil {
		t.Fatal(err)
	}
	detail, err := w.Confirm(w.ctx, agent, c.ID)
	if err != nil {
		t.Fatal(err)
	}
	if got := detail.Stored.Reason; got != "Requesting approval for plan: Fix the login" {
		t.Errorf("C-30 reason %q", got)
	}
	if got := w.planStatus(id); got != domain.PlanProposed {
		t.Errorf("C-29 plan is %s", got)
	}
	_, err = w.ProposePlan(w.ctx, agent, id, domain.ProposeInput{})
	w.wantCode(err, domain.CodeInvalidTransition)
}

func TestC36_C37_C38_DecisionMovesTheProposedPlan(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	agent, reviewer := w.key("bot", "planner"), w.user("reviewer", "reviewer")
	for _, tt := range []struct {
		name   string
		status domain.Status
		want   domain.PlanStatus
	}{
		{"C-36 approved", domain.Approved, domain.PlanApproved},
		{"C-37 rejected", domain.Rejected, domain.PlanDraft},
		{"C-38 cancelled", domain.Cancelled, domain.PlanProposed},
	} {
		id := w.plan(agent, "p-"+string(tt.status))
		c, err := w.ProposePlan(w.ctx, agent, id, domain.ProposeInput{})
		if err != nil {
			t.Fatal(err)
		}
		if tt.status == domain.Cancelled {
			_, err = w.CancelConfirm(w.ctx, agent, c.ID, "")
		} else {
			_, err = w.decide(reviewer, c, tt.status)
		}
		if err != nil {
			t.Fatalf("%s: %v", tt.name, err)
		}
		if got := w.planStatus(id); got != tt.want {
			t.Errorf("%s: plan is %s, want %s", tt.name, got, tt.want)
		}
	}
}

func TestPropose_AgainAfterRejectionSupersedes(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	agent, reviewer := w.key("bot", "planner"), w.user("reviewer", "reviewer")
	id := w.plan(agent, "p-1")
	first, err := w.ProposePlan(w.ctx, agent, id, domain.ProposeInput{})
	if err != nil {
		t.Fatal(err)
	}
	w.mustDecide(reviewer, first, domain.Rejected)
	second, err := w.ProposePlan(w.ctx, agent, id, domain.ProposeInput{})
	if err != nil || second.Supersedes != first.ID {
		t.Fatalf("supersedes %q, want %q (%v)", second.Supersedes, first.ID, err)
	}
	detail, err := w.Confirm(w.ctx, reviewer, first.ID)
	if err != nil || len(detail.SupersededBy) != 1 || detail.SupersededBy[0] != second.ID {
		t.Errorf("%v %v: the first does not know what follows it", detail.SupersededBy, err)
	}
	// Contradiction 5: after a cancelled confirm the proposed plan may be proposed again.
	if _, err := w.CancelConfirm(w.ctx, agent, second.ID, ""); err != nil {
		t.Fatal(err)
	}
	if _, err := w.ProposePlan(w.ctx, agent, id, domain.ProposeInput{}); err != nil {
		t.Error(err)
	}
}

func TestRevise_VoidsWhatWasPending(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	agent, reviewer := w.key("bot", "planner"), w.user("reviewer", "reviewer")
	id := w.plan(agent, "p-1")
	c := w.post(agent, `{"target_type":"plan","target_id":"p-1"}`)
	in, err := mplp.ParsePlan([]byte(`{"context_id":"ctx-1","title":"Other","objective":"Other","steps":[{"step_id":"x","description":"Drop all"}]}`), w.Limits().MPLP())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.RevisePlan(w.ctx, agent, id, in); err != nil {
		t.Fatal(err)
	}
	if o := w.outcome(c.ID); o.Confirm.Status != domain.Cancelled || o.Decision.DecidedBy != domain.System {
		t.Errorf("%s by %s, want cancelled by system", o.Confirm.Status, o.Decision.DecidedBy)
	}
	_, err = w.decide(reviewer, c, domain.Approved)
	w.wantCode(err, domain.CodeAlreadyDecided)

	if _, err := w.ProposePlan(w.ctx, agent, id, domain.ProposeInput{}); err != nil {
		t.Fatal(err)
	}
	_, err = w.RevisePlan(w.ctx, agent, id, in)
	w.wantCode(err, domain.CodeInvalidTransition)
}

func TestP14b_AbandonedDraftCancelsItsConfirms(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	agent, planner, reviewer := w.key("bot", "planner"), w.user("planner", "planner"), w.user("reviewer", "reviewer")
	id := w.plan(agent, "p-1")
	c := w.post(agent, `{"target_type":"plan","target_id":"p-1"}`)
	_, err := w.CancelPlan(w.ctx, reviewer, id, "")
	w.wantCode(err, domain.CodeMissingCapability)
	if _, err := w.CancelPlan(w.ctx, planner, id, "not now"); err != nil {
		t.Fatal(err)
	}
	if got := w.outcome(c.ID).Confirm.Status; got != domain.Cancelled {
		t.Errorf("its confirm is %s", got)
	}
	_, err = w.CancelPlan(w.ctx, planner, id, "")
	w.wantCode(err, domain.CodeInvalidTransition)
}

func TestP14_PlanHasEightEdgesAndNoOther(t *testing.T) {
	t.Parallel()
	all := []domain.PlanStatus{domain.PlanDraft, domain.PlanProposed, domain.PlanApproved, domain.PlanInProgress, domain.PlanCompleted, domain.PlanCancelled, domain.PlanFailed}
	edges := 0
	for _, from := range all {
		for _, to := range all {
			if from.CanMove(to) {
				edges++
				switch from {
				case domain.PlanCompleted, domain.PlanCancelled, domain.PlanFailed:
					t.Errorf("%s has ended and moves to %s", from, to)
				}
			}
		}
	}
	if edges != 8 {
		t.Errorf("%d edges, want 8", edges)
	}
}

func TestF8_BindingResolvesTheStep(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	agent := w.key("bot", "planner", "executor")
	w.plan(agent, "p-1") // s3 has order_index 0, so it comes first
	for _, tt := range []struct {
		name, members string
		binding       domain.Binding
		step          string
	}{
		{"nothing named", ``, domain.BoundPlan, ""},
		{"member", `,"step_id":"s2"`, domain.BoundStep, "s2"},
		{"member wins", `,"step_id":"s2","trace":{"trace_id":"t","span_id":"s1"}`, domain.BoundStep, "s2"},
		{"attribute", `,"trace":{"trace_id":"t","span_id":"s1","attributes":{"step_id":"s3"}}`, domain.BoundStep, "s3"},
		{"span is a step", `,"trace":{"trace_id":"t","span_id":"s1"}`, domain.BoundStep, "s1"},
		{"span-<step>", `,"trace":{"trace_id":"t","span_id":"span-s1"}`, domain.BoundStep, "s1"},
		{"n-th by order", `,"trace":{"trace_id":"t","span_id":"span-step-1"}`, domain.BoundStep, "s3"},
		{"last by order", `,"trace":{"trace_id":"t","span_id":"span-step-3"}`, domain.BoundStep, "s2"},
		{"beyond the last", `,"trace":{"trace_id":"t","span_id":"span-step-4"}`, domain.BoundUnknown, ""},
		{"leading zero", `,"trace":{"trace_id":"t","span_id":"span-step-01"}`, domain.BoundUnknown, ""},
		{"unknown span", `,"trace":{"trace_id":"t","span_id":"elsewhere"}`, domain.BoundUnknown, ""},
		{"unknown member", `,"step_id":"s9"`, domain.BoundUnknown, ""},
	} {
		c := w.post(agent, `{"target_type":"plan","target_id":"p-1"`+tt.members+`}`)
		if c.Binding != tt.binding || c.StepID != tt.step {
			t.Errorf("%s: %q %q, want %q %q", tt.name, c.Binding, c.StepID, tt.binding, tt.step)
		}
	}
	other := w.post(agent, `{"target_type":"other","plan_id":"p-1","step_id":"s2","actions":[{"name":"x","args":{}}]}`)
	if other.PlanID != "p-1" || other.StepID != "s2" {
		t.Errorf("other: %q %q", other.PlanID, other.StepID)
	}
	loose := w.post(agent, `{"target_type":"other","plan_id":"p-1","actions":[{"name":"x","args":{}}]}`)
	if loose.PlanID != "" {
		t.Error("other without a step counts for the plan")
	}
}

func TestAim_ForeignPlanIsNeitherShownNorTouched(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.user("owner", "reviewer")
	reviewer := w.user("reviewer", "reviewer")
	foreign := w.keyFor(domain.KeyInput{Name: "foreign", Roles: []string{"planner"}, Owner: "owner"})
	agent := w.key("bot", "planner")
	id := w.plan(agent, "p-1")
	if _, err := w.ProposePlan(w.ctx, agent, id, domain.ProposeInput{}); err != nil {
		t.Fatal(err)
	}
	_, err := w.Plan(w.ctx, foreign, id)
	w.wantCode(err, domain.CodeNotFound)

	c := w.post(foreign, `{"target_type":"plan","target_id":"p-1"}`)
	if c.TargetHash != "" {
		t.Errorf("a foreign plan is bound: %q", c.TargetHash)
	}
	detail, err := w.Plan(w.ctx, agent, id)
	if err != nil || len(detail.Confirms) != 1 || detail.Confirms[0].ID == c.ID {
		t.Errorf("its confirms are %+v, %v", detail, err)
	}
	w.mustDecide(reviewer, c, domain.Rejected)
	if got := w.planStatus(id); got != domain.PlanProposed {
		t.Errorf("the foreign confirm moved the plan to %s", got)
	}
}

func TestPlan_LockedChangesOnlyItsGovernance(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	agent, keeper, reviewer := w.worker(), w.user("keeper", "architect", w.role("locks", "role.modify")), w.user("reviewer", "reviewer")
	parse := func(locked, title string) *mplp.Plan {
		in, err := mplp.ParsePlan([]byte(`{"plan_id":"p-1","context_id":"c","title":"`+title+`","objective":"O","governance":{"locked":`+locked+`},"steps":[{"step_id":"s1","description":"D"}]}`), w.Limits().MPLP())
		if err != nil {
			t.Fatal(err)
		}
		return in
	}
	if _, err := w.PostPlan(w.ctx, agent, parse("true", "T")); err != nil {
		t.Fatal(err)
	}
	c := w.post(agent, `{"target_type":"plan","target_id":"p-1"}`)
	_, err := w.decide(reviewer, c, domain.Approved)
	w.wantCode(err, domain.CodeLocked)
	_, err = w.ProposePlan(w.ctx, agent, "p-1", domain.ProposeInput{})
	w.wantCode(err, domain.CodeLocked)
	_, err = w.CancelPlan(w.ctx, agent, "p-1", "")
	w.wantCode(err, domain.CodeLocked)
	_, err = w.RevisePlan(w.ctx, keeper, "p-1", parse("false", "Other"))
	w.wantCode(err, domain.CodeLocked)
	_, err = w.RevisePlan(w.ctx, agent, "p-1", parse("false", "T")) // without role.modify
	w.wantCode(err, domain.CodeMissingCapability)
	if _, err = w.RevisePlan(w.ctx, keeper, "p-1", parse("false", "T")); err != nil {
		t.Fatal(err)
	}
	w.mustDecide(reviewer, c, domain.Approved)
	if _, err = w.ProposePlan(w.ctx, agent, "p-1", domain.ProposeInput{}); err != nil {
		t.Error(err)
	}
}
