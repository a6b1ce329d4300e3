package domain_test

import (
	"strings"
	"testing"
	"time"

	"countersign/domain"
)

// found is a verification that found something, or nothing.
func (w *world) found(findings ...string) {
	w.SetVerification(domain.Verification{Ended: w.now(), Began: w.now(), Findings: findings, Next: w.now().Add(time.Hour)})
}

// While the database is found changed nothing rests on it; what ends without
// anybody's consent ends as ever.
func TestVerification_FoundChanged(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	agent, reviewer := w.key("worker", "architect", "executor", w.role("asker", "confirm.request")), w.user("reviewer", "reviewer")
	w.running(agent, reviewer, "p")
	ask := func(id, step, more string) *domain.Confirm {
		return w.post(agent, `{"confirm_id":"`+id+`","target_type":"other","plan_id":"p","step_id":"`+step+`"`+more+`}`)
	}
	approved := ask("yes", "s2", "")
	w.mustDecide(reviewer, approved, domain.Approved)
	w.mustDecide(reviewer, ask("no", "s3", ""), domain.Rejected)
	pending, late, dropped := ask("wait", "s4", ""), ask("late", "s4", `,"timeout":1`), ask("drop", "s4", "")
	gates := func(when string, want map[string]string) {
		t.Helper()
		for step, verdict := range want {
			if got := w.gate(agent, "p", step); got != verdict {
				t.Errorf("%s: the gate says %s of %s, want %s", when, got, step, verdict)
			}
		}
	}
	clean := map[string]string{"s1": "RESUME approved", "s2": "RESUME approved", "s3": "ABORT rejected", "s4": "BLOCK pending"}
	gates("before any verification", clean)

	w.found("plans p: the row is not as it was logged")
	gates("found changed", map[string]string{"s1": "BLOCK unproven", "s2": "BLOCK unproven", "s3": "BLOCK unproven", "s4": "BLOCK pending", "s9": "BLOCK unknown"})
	v, err := w.Gate(w.ctx, agent, domain.GateQuery{PlanID: "p", StepID: "s2"})
	if err != nil || !strings.HasPrefix(v.Reason, "The last verification found that the database was changed.") {
		t.Errorf("the gate's reason is %q (%v)", v.Reason, err)
	}
	for _, status := range []domain.Status{domain.Approved, domain.Rejected} {
		_, err := w.decide(reviewer, pending, status)
		w.wantCode(err, domain.CodeEvidenceUnavailable)
	}
	_, err = w.decide(reviewer, approved, domain.Rejected)
	w.wantCode(err, domain.CodeAlreadyDecided)
	consume := domain.ConsumeInput{ConfirmID: "yes", ExecutionID: "e"}
	_, err = w.Consume(w.ctx, agent, consume)
	w.wantCode(err, domain.CodeEvidenceUnavailable)
	detail, err := w.Confirm(w.ctx, reviewer, "wait")
	if err != nil {
		t.Fatal(err)
	}
	w.wantCode(detail.Rights.CannotDecide(), domain.CodeEvidenceUnavailable)
	if detail.Rights.Cancel != nil {
		t.Errorf("it cannot be cancelled: %v", detail.Rights.Cancel)
	}
	if _, err := w.CancelConfirm(w.ctx, agent, dropped.ID, ""); err != nil {
		t.Errorf("cancelling: %v", err)
	}
	w.pass(2 * time.Second)
	if got := w.outcome(late.ID).Confirm; got.Cause != domain.CauseTimeout {
		t.Errorf("the deadline has come: %s by %s", got.Status, got.Cause)
	}
	if got := w.outcome(approved.ID).Confirm.Status; got != domain.Approved {
		t.Errorf("what was decided before is %s", got)
	}

	w.found()
	gates("found as it should be", clean)
	w.mustDecide(reviewer, pending, domain.Approved)
	if _, err := w.Consume(w.ctx, agent, consume); err != nil {
		t.Error(err)
	}
}

func TestVerification_Now(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	admin, reviewer := w.user("admin", "admin"), w.user("someone", "planner")
	now := func(want domain.Code) {
		t.Helper()
		w.wantCode(w.VerifyNow(w.ctx, admin), want)
	}
	now(domain.CodeInvalidTransition) // nobody verifies
	w.found()
	w.wantCode(w.VerifyNow(w.ctx, reviewer), domain.CodeMissingCapability)
	now(domain.CodeRateLimited)
	w.pass(time.Minute)
	now("")
	now(domain.CodeRateLimited) // it has been asked for
	select {
	case <-w.VerificationWanted():
	default:
		t.Error("nobody is told that one is wanted")
	}
	v := w.Verification()
	v.Running = true
	w.SetVerification(v)
	now(domain.CodeRateLimited)
}
