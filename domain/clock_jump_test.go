package domain_test

import (
	"testing"
	"time"

	"countersign/domain"
)

// TestT39_ClockJumps: wherever the machine's clock leaps to, what has ended
// stays ended, nothing is approved when its time is over, and the log keeps its
// order by number.
func TestT39_ClockJumps(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	agent, reviewer := w.key("agent", "executor"), w.user("reviewer", "reviewer")
	for _, jump := range []time.Duration{time.Second, 299 * time.Second, 300 * time.Second, time.Hour, 365 * 24 * time.Hour} {
		late := w.post(agent, toolCall) // expires in 300 s
		w.pass(jump)
		_, err := w.decide(reviewer, late, domain.Approved)
		if over := jump >= 300*time.Second; over != (domain.ErrorCode(err) == domain.CodeExpired) || !over && err != nil {
			t.Errorf("%v later: %v", jump, err)
		}
		ended := w.outcome(late.ID)
		w.pass(-jump)
		if again := w.outcome(late.ID); again.Confirm.Status != ended.Confirm.Status {
			t.Errorf("%v back: %s became %s", jump, ended.Confirm.Status, again.Confirm.Status)
		}
		w.pass(-jump)
		early := w.post(agent, toolCall)
		if o := w.mustDecide(reviewer, early, domain.Approved); o.Confirm.Status != domain.Approved {
			t.Errorf("%v before: %s", jump, o.Confirm.Status)
		}
		w.pass(jump)
	}
	w.entryTypes() // asserts that there is no gap
}
