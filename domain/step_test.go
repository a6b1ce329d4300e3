package domain_test

import (
	"fmt"
	"testing"

	"countersign/domain"
	"countersign/domain/mplp"
)

// running posts a plan of the plan module's example shape (s1 before s2 and s3,
// s4 after s2, s5 after both), has it approved and starts it.
func (w *world) running(agent, reviewer domain.Ref, id string) string {
	w.t.Helper()
	w.context(agent, "ctx-"+id, "active")
	in, err := mplp.ParsePlan([]byte(fmt.Sprintf(`{"plan_id":%q,"context_id":"ctx-%s","title":"Example","objective":"DAG","steps":[
		{"step_id":"s1","description":"Analyze","dependencies":[]},{"step_id":"s2","description":"Design","dependencies":["s1"]},
		{"step_id":"s3","description":"Set up","dependencies":["s1"]},{"step_id":"s4","description":"Build","dependencies":["s2"]},
		{"step_id":"s5","description":"Test","dependencies":["s3","s4"]}]}`, id, id)), w.Limits().MPLP())
	if err != nil {
		w.t.Fatal(err)
	}
	if _, err := w.PostPlan(w.ctx, agent, in); err != nil {
		w.t.Fatal(err)
	}
	c, err := w.ProposePlan(w.ctx, agent, id, domain.ProposeInput{})
	if err != nil {
		w.t.Fatal(err)
	}
	w.mustDecide(reviewer, c, domain.Approved)
	if _, err := w.StartPlan(w.ctx, agent, id); err != nil {
		w.t.Fatal(err)
	}
	return id
}

func (w *world) context(ref domain.Ref, id, status string) {
	w.t.Helper()
	in, err := mplp.ParseContext([]byte(fmt.Sprintf(`{"context_id":%q,"title":"Project","status":%q}`, id, status)), w.Limits().MPLP())
	if err == nil {
		_, err = w.CreateContext(w.ctx, ref, in)
	}
	if err != nil {
		w.t.Fatal(err)
	}
}

// states gives the status of every step.
func (w *world) states(id string) (list []domain.StepStatus) {
	w.t.Helper()
	detail, err := w.Plan(w.ctx, domain.System, id)
	if err != nil {
		w.t.Fatal(err)
	}
	for i := range detail.Document.Steps {
		list = append(list, detail.Plan.States.Status(i))
	}
	return list
}

func (w *world) step(ref domain.Ref, plan, step string, to domain.StepStatus) error {
	_, err := w.MoveStep(w.ctx, ref, plan, step, to, false)
	return err
}

func (w *world) mustStep(ref domain.Ref, plan, step string, to ...domain.StepStatus) {
	w.t.Helper()
	for _, status := range to {
		if err := w.step(ref, plan, step, status); err != nil {
			w.t.Fatalf("%s to %s: %v", step, status, err)
		}
	}
}

// worker may do all that an agent does with a plan.
func (w *world) worker() domain.Ref {
	return w.key("worker", "architect", "executor")
}

func TestP16_P19_StepsFollowTheirDependencies(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	agent, reviewer := w.worker(), w.user("reviewer", "reviewer")
	id := w.running(agent, reviewer, "p")

	w.wantCode(w.step(agent, id, "s2", domain.StepInProgress), domain.CodeInvalidTransition)
	w.wantCode(w.step(agent, id, "s9", domain.StepInProgress), domain.CodeNotFound)
	w.wantCode(w.step(agent, id, "s1", "done"), domain.CodeInvalid)
	w.wantCode(w.step(agent, id, "s1", domain.StepBlocked), domain.CodeInvalidTransition)
	w.mustStep(agent, id, "s1", domain.StepInProgress, domain.StepCompleted)
	w.mustStep(agent, id, "s2", domain.StepSkipped)
	w.mustStep(agent, id, "s4", domain.StepInProgress) // a skipped dependency satisfies
	w.wantCode(w.step(agent, id, "s5", domain.StepInProgress), domain.CodeInvalidTransition)

	w.mustStep(agent, id, "s3", domain.StepInProgress, domain.StepFailed)
	if got := w.states(id)[4]; got != domain.StepBlocked {
		t.Errorf("P-16b s5 is %s", got)
	}
	w.wantCode(w.step(agent, id, "s5", domain.StepPending), domain.CodeInvalidTransition) // still failed
	w.mustStep(agent, id, "s3", domain.StepPending)                                       // retry
	if got := w.states(id)[4]; got != domain.StepPending {
		t.Errorf("P-16f s5 is %s", got)
	}
	w.mustStep(agent, id, "s3", domain.StepInProgress, domain.StepCompleted)
	w.mustStep(agent, id, "s4", domain.StepCompleted)
	w.mustStep(agent, id, "s5", domain.StepInProgress, domain.StepCompleted)
	if got := w.planStatus(id); got != domain.PlanCompleted {
		t.Errorf("plan is %s", got)
	}
	w.wantCode(w.step(agent, id, "s5", domain.StepPending), domain.CodeInvalidTransition)
}

func TestP16g_StepHasSevenEdgesAndNoOther(t *testing.T) {
	t.Parallel()
	all := []domain.StepStatus{domain.StepPending, domain.StepInProgress, domain.StepCompleted, domain.StepBlocked, domain.StepSkipped, domain.StepFailed}
	edges := 0
	for _, from := range all {
		for _, to := range all {
			if from.CanMove(to) {
				edges++
			}
		}
	}
	if edges != 7 {
		t.Errorf("%d edges, want S3's 6 and the retry", edges)
	}
}

func TestP29_OnlyACriticalStepFailsThePlan(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	agent, reviewer := w.worker(), w.user("reviewer", "reviewer")
	id := w.running(agent, reviewer, "p")
	pending := w.post(agent, `{"target_type":"plan","target_id":"p","step_id":"s2"}`)
	w.mustStep(agent, id, "s1", domain.StepInProgress)
	if _, err := w.MoveStep(w.ctx, agent, id, "s1", domain.StepCompleted, true); domain.ErrorCode(err) != domain.CodeInvalid {
		t.Errorf("a completed critical step: %v", err)
	}
	if _, err := w.MoveStep(w.ctx, agent, id, "s1", domain.StepFailed, true); err != nil {
		t.Fatal(err)
	}
	if got := w.planStatus(id); got != domain.PlanFailed {
		t.Errorf("plan is %s", got)
	}
	if got := w.outcome(pending.ID); got.Confirm.Status != domain.Cancelled || got.Decision.DecidedBy != domain.System {
		t.Errorf("what was pending is %s", got.Confirm.Status)
	}
}

func TestP26_P30_PlanStartsOnlyInAnActiveContext(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	agent, reviewer := w.worker(), w.user("reviewer", "reviewer")
	id := w.plan(agent, "p-1") // in ctx-1
	_, err := w.StartPlan(w.ctx, agent, id)
	w.wantCode(err, domain.CodeInvalidTransition) // a draft
	c, err := w.ProposePlan(w.ctx, agent, id, domain.ProposeInput{})
	if err != nil {
		t.Fatal(err)
	}
	w.mustDecide(reviewer, c, domain.Approved)
	start := func() error { _, err := w.StartPlan(w.ctx, agent, id); return err }

	w.wantCode(start(), domain.CodeInvalidTransition) // no such context
	w.context(agent, "ctx-1", "suspended")
	err = start()
	w.wantCode(err, domain.CodeInvalidTransition)
	if problems := domain.AsError(err).Problems; len(problems) != 1 || problems[0].Code != "sa_plan_context_binding" {
		t.Errorf("P-23 problems %v", problems)
	}
	in, err := mplp.ParseContext([]byte(`{"context_id":"ctx-1","title":"Project","status":"active"}`), w.Limits().MPLP())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.UpdateContext(w.ctx, agent, "ctx-1", in); err != nil {
		t.Fatal(err)
	}
	w.wantCode(w.step(agent, id, "s1", domain.StepInProgress), domain.CodeInvalidTransition) // the plan does not run
	if err := start(); err != nil {
		t.Error(err)
	}
}
