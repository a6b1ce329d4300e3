package domain_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"countersign/domain"
)

var stepStatuses = []domain.StepStatus{domain.StepPending, domain.StepInProgress, domain.StepCompleted, domain.StepBlocked,
	domain.StepSkipped, domain.StepFailed}

// stepLife brings the step b of running plans into any status. It depends on a,
// and a third step keeps the plan from ending.
type stepLife struct{ *planLife }

func (l *stepLife) in(status domain.StepStatus) (plan string) {
	l.t.Helper()
	l.plans++
	plan = fmt.Sprintf("steps-%d", l.plans)
	text := fmt.Sprintf(`{"plan_id":%q,"context_id":"ctx-1","title":"T","objective":"O","steps":[{"step_id":"a","description":"D"},
		{"step_id":"b","description":"D","dependencies":["a"]},{"step_id":"c","description":"D"}]}`, plan)
	if err := l.tryPlan(l.agent, text); err != nil {
		l.t.Fatal(err)
	}
	for _, to := range []domain.PlanStatus{domain.PlanProposed, domain.PlanApproved, domain.PlanInProgress} {
		if err := l.planLife.move(plan, to); err != nil {
			l.t.Fatal(err)
		}
	}
	switch status {
	case domain.StepBlocked:
		l.mustStep(l.agent, plan, "a", domain.StepInProgress, domain.StepFailed)
	case domain.StepSkipped:
		l.mustStep(l.agent, plan, "b", domain.StepSkipped)
	case domain.StepInProgress, domain.StepCompleted, domain.StepFailed:
		l.mustStep(l.agent, plan, "a", domain.StepInProgress, domain.StepCompleted)
		l.mustStep(l.agent, plan, "b", domain.StepInProgress)
		if status != domain.StepInProgress {
			l.mustStep(l.agent, plan, "b", status)
		}
	}
	if got := l.states(plan)[1]; got != status {
		l.t.Fatalf("step b is %s, want %s", got, status)
	}
	return plan
}

// move tries to bring step b into the status, after what has to be before.
func (l *stepLife) move(plan string, to domain.StepStatus) error {
	l.t.Helper()
	switch states := l.states(plan); {
	case to == domain.StepInProgress && states[0] == domain.StepPending:
		l.mustStep(l.agent, plan, "a", domain.StepInProgress, domain.StepCompleted)
	case to == domain.StepBlocked && states[1] == domain.StepPending:
		l.mustStep(l.agent, plan, "a", domain.StepInProgress, domain.StepFailed)
		return nil // follows by itself
	case to == domain.StepPending && states[1] == domain.StepBlocked:
		l.mustStep(l.agent, plan, "a", domain.StepPending)
		return nil // follows by itself
	}
	return l.step(l.agent, plan, "b", to)
}

// TestP16_StepTakesItsEdgesAndNoOther tries each status from each other.
func TestP16_StepTakesItsEdgesAndNoOther(t *testing.T) {
	t.Parallel()
	edges := []struct {
		name     string
		from, to domain.StepStatus
	}{
		{"P-16a started after its dependency", domain.StepPending, domain.StepInProgress},
		{"P-16b blocked by its dependency", domain.StepPending, domain.StepBlocked},
		{"P-16c skipped", domain.StepPending, domain.StepSkipped},
		{"P-16d completed", domain.StepInProgress, domain.StepCompleted},
		{"P-16e failed", domain.StepInProgress, domain.StepFailed},
		{"P-16f freed by the retry of its dependency", domain.StepBlocked, domain.StepPending},
		{"P-16g retried", domain.StepFailed, domain.StepPending},
	}
	l := &stepLife{newPlanLife(t)}
	allowed := map[[2]domain.StepStatus]bool{}
	for _, edge := range edges {
		allowed[[2]domain.StepStatus{edge.from, edge.to}] = true
		t.Run(edge.name, func(t *testing.T) {
			plan := l.in(edge.from)
			if err := l.move(plan, edge.to); err != nil {
				t.Fatal(err)
			}
			if got := l.states(plan)[1]; got != edge.to {
				t.Errorf("the step is %s, want %s", got, edge.to)
			}
		})
	}
	refused := 0
	for _, from := range stepStatuses {
		for _, to := range stepStatuses {
			if allowed[[2]domain.StepStatus{from, to}] {
				continue
			}
			plan := l.in(from)
			if err := l.move(plan, to); domain.ErrorCode(err) != domain.CodeInvalidTransition {
				t.Errorf("%s to %s: %v, want it refused", from, to, err)
			}
			if got := l.states(plan)[1]; got != from {
				t.Errorf("%s to %s: the step is %s", from, to, got)
			}
			refused++
		}
	}
	if refused != 29 {
		t.Errorf("%d refusals, want 29", refused)
	}
}

func TestP16a_P19_StepWaitsForAllDependencies(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	agent, reviewer := w.worker(), w.user("reviewer", "reviewer")
	plan := w.running(agent, reviewer, "p")
	start := func(step string) domain.Code {
		t.Helper()
		return domain.ErrorCode(w.step(agent, plan, step, domain.StepInProgress))
	}
	if got := start("s2"); got != domain.CodeInvalidTransition {
		t.Errorf("s2 before s1: %q", got)
	}
	w.mustStep(agent, plan, "s1", domain.StepInProgress)
	if got := start("s2"); got != domain.CodeInvalidTransition {
		t.Errorf("s2 while s1 runs: %q", got)
	}
	w.mustStep(agent, plan, "s1", domain.StepCompleted)
	w.mustStep(agent, plan, "s2", domain.StepInProgress, domain.StepCompleted)
	w.mustStep(agent, plan, "s4", domain.StepInProgress, domain.StepCompleted)
	if got := start("s5"); got != domain.CodeInvalidTransition {
		t.Errorf("s5 after s4 alone: %q", got)
	}
	w.mustStep(agent, plan, "s3", domain.StepInProgress, domain.StepCompleted)
	if got := start("s5"); got != "" {
		t.Errorf("s5 after both: %q", got)
	}
}

func TestP27_StepsMoveInARunningPlanOnly(t *testing.T) {
	t.Parallel()
	l := newPlanLife(t)
	for _, status := range planStatuses {
		if status == domain.PlanInProgress {
			continue
		}
		plan := l.in(status)
		before := l.states(plan)
		for _, to := range []domain.StepStatus{domain.StepInProgress, domain.StepSkipped, domain.StepPending} {
			if err := l.step(l.agent, plan, "s1", to); domain.ErrorCode(err) != domain.CodeInvalidTransition {
				t.Errorf("%s plan, step to %s: %v", status, to, err)
			}
		}
		if diff := cmp.Diff(before, l.states(plan)); diff != "" {
			t.Errorf("%s plan: a step moved (-before +after):\n%s", status, diff)
		}
	}
}

// TestP28_LastStepCompletesThePlan ends with a completed and with a skipped
// step.
func TestP28_LastStepCompletesThePlan(t *testing.T) {
	t.Parallel()
	for _, last := range []domain.StepStatus{domain.StepCompleted, domain.StepSkipped} {
		w := newWorld(t)
		agent, reviewer := w.worker(), w.user("reviewer", "reviewer")
		plan := w.running(agent, reviewer, "p")
		for _, step := range []string{"s1", "s2", "s3", "s4"} {
			w.mustStep(agent, plan, step, domain.StepInProgress, domain.StepCompleted)
		}
		_, err := w.CompletePlan(w.ctx, agent, plan)
		w.wantCode(err, domain.CodeInvalidTransition) // s5 is open
		if last == domain.StepCompleted {
			w.mustStep(agent, plan, "s5", domain.StepInProgress)
		}
		w.mustStep(agent, plan, "s5", last)
		if got := w.planStatus(plan); got != domain.PlanCompleted {
			t.Errorf("after a last step that is %s the plan is %s", last, got)
		}
	}
}
