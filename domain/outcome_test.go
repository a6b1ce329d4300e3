package domain_test

import (
	"strings"
	"testing"
	"time"

	"countersign/domain"
)

func TestA11_DeadlineIsTheShortestTimeoutGiven(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	agent := w.key("bot", "executor", "planner")
	for _, tt := range []struct {
		name, body string
		want       time.Duration
	}{
		{"actions default", toolCall, 300 * time.Second},
		{"own timeout", `{"target_type":"other","timeout":60,"actions":[{"name":"x","args":{}}]}`, time.Minute},
		{"shortest wins", `{"target_type":"other","timeout":60,"actions":[{"name":"x","args":{}}],"review_configs":[{"timeout":10}]}`, 10 * time.Second},
		{"no actions, none", `{"target_type":"plan","target_id":"p-1"}`, 0},
		{"no actions, asked for", `{"target_type":"plan","target_id":"p-1","timeout":30}`, 30 * time.Second},
	} {
		c := w.post(agent, tt.body)
		got := time.Duration(0)
		if !c.ExpiresAt.IsZero() {
			got = c.ExpiresAt.Sub(c.ReceivedAt)
		}
		if got != tt.want {
			t.Errorf("%s: expires after %v, want %v", tt.name, got, tt.want)
		}
	}
}

func TestA19_ApprovalAtTheDeadlineLoses(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	agent, reviewer := w.key("bot", "executor"), w.user("reviewer", "reviewer")
	for _, tt := range []struct {
		name    string
		after   time.Duration
		expired bool
	}{
		{"a millisecond before", 300*time.Second - time.Millisecond, false},
		{"at the deadline", 300 * time.Second, true},
		{"long after", time.Hour, true},
	} {
		c := w.post(agent, twoCalls)
		w.pass(tt.after)
		_, err := w.decide(reviewer, c, domain.Approved)
		final := w.outcome(c.ID)
		if !tt.expired {
			if err != nil || final.Confirm.Status != domain.Approved {
				t.Errorf("%s: %v, %s", tt.name, err, final.Confirm.Status)
			}
			continue
		}
		w.wantCode(err, domain.CodeExpired)
		told := domain.AsError(err).Decision
		if told == nil || told.Decision.Cause != domain.CauseTimeout || told.Decision.DecidedByRole != "system" {
			t.Fatalf("%s: told %+v, want the timeout", tt.name, told)
		}
		if final.Confirm.Status != domain.Rejected || len(final.Decision.Actions) != 2 || final.Decision.Actions[1].Type != domain.ActionReject {
			t.Errorf("%s: %s %+v, want every action rejected", tt.name, final.Confirm.Status, final.Decision.Actions)
		}
		if !strings.Contains(final.Text, "not a refusal") {
			t.Errorf("%s: a timeout reads %q", tt.name, final.Text)
		}
	}
}

func TestOutcome_ReadSettlesAnExpiry(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	agent := w.key("bot", "executor")
	c := w.post(agent, toolCall)
	w.pass(300 * time.Second)
	o, err := w.Outcome(w.ctx, agent, c.ID, 0)
	if err != nil || o.Confirm.Status != domain.Rejected || o.Confirm.Cause != domain.CauseTimeout {
		t.Fatalf("%+v %v, want a timeout", o, err)
	}
	list, _, err := w.Confirms(w.ctx, agent, domain.ConfirmFilter{Status: domain.Pending}, domain.Page{})
	if err != nil || len(list) != 0 {
		t.Errorf("%d pending, %v", len(list), err)
	}
}

func TestOutcome_WaitEndsWithTheDecision(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	agent, reviewer := w.key("bot", "executor"), w.user("reviewer", "reviewer")
	c := w.post(agent, toolCall)
	result := make(chan *domain.Outcome)
	go func() {
		o, err := w.Outcome(w.ctx, agent, c.ID, domain.MaxWait)
		if err != nil {
			t.Error(err)
		}
		result <- o
	}()
	w.mustDecide(reviewer, c, domain.Approved)
	if o := <-result; o.Confirm.Status != domain.Approved {
		t.Errorf("the wait ended with %s", o.Confirm.Status)
	}
}

func TestOutcome_WaitEndsWithTheServer(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	agent := w.key("bot", "executor")
	c := w.post(agent, toolCall)
	w.feed.Close()
	o, err := w.Outcome(w.ctx, agent, c.ID, domain.MaxWait)
	if err != nil || o.Confirm.Status != domain.Pending {
		t.Errorf("%+v %v, want pending", o, err)
	}
}

// The clock makes a timeout known at once: a waiting agent is told within its
// request, without looking again.
func TestRunClock_WakesWaitingAgents(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	agent := w.key("bot", "executor")
	c := w.post(agent, toolCall)
	sub := w.feed.Subscribe()
	defer sub.Close()
	w.pass(300 * time.Second)
	ended := make(chan error)
	go func() { ended <- w.RunClock(w.ctx) }()
	for e := range sub.Entries() {
		if e.ConfirmID == c.ID && e.Type == "confirm.rejected" {
			break
		}
	}
	w.feed.Close()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}
