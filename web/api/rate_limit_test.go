package api_test

import (
	"net/http"
	"testing"
	"time"

	"countersign/domain"
)

// TestCreates_AreRated: a key posts so many at once, then so many a second;
// what is refused is not stored, and other keys do not notice.
func TestCreates_AreRated(t *testing.T) {
	t.Parallel()
	s := newServer(t, func(c *domain.Config, _ *http.Server) {
		c.Limits = domain.DefaultLimits()
		c.Limits.Creates, c.Limits.Burst = 2, 3
	})
	greedy, other := s.agent("executor"), s.agent("planner", "executor", "architect", "admin")
	for range 3 {
		greedy.post("/confirms", toolCall).want(http.StatusCreated)
	}
	before := s.entries()
	refused := greedy.post("/confirms", toolCall).problem(http.StatusTooManyRequests, "rate-limited")
	if got := refused.header.Get("Retry-After"); got != "1" {
		t.Errorf("Retry-After %q, want 1", got)
	}
	if after := s.entries(); after != before {
		t.Errorf("what was refused left %d entries", after-before)
	}
	greedy.get("/confirms").want(http.StatusOK)
	other.post("/confirms", toolCall).want(http.StatusCreated)

	s.pass(time.Second)
	for range 2 {
		greedy.post("/confirms", toolCall).want(http.StatusCreated)
	}
	greedy.post("/confirms", toolCall).problem(http.StatusTooManyRequests, "rate-limited")
	s.pass(time.Hour) // saves no more than what goes at once
	for range 3 {
		greedy.post("/confirms", toolCall).want(http.StatusCreated)
	}
	greedy.post("/confirms", toolCall).problem(http.StatusTooManyRequests, "rate-limited")
}

// TestCreates_EveryPostCounts: whatever makes an object takes from the same
// bucket.
func TestCreates_EveryPostCounts(t *testing.T) {
	t.Parallel()
	s := newServer(t, func(c *domain.Config, _ *http.Server) {
		c.Limits = domain.DefaultLimits()
		c.Limits.Creates, c.Limits.Burst = 1, 1
	})
	agent := s.agent("admin")
	agent.post("/confirms", toolCall).want(http.StatusCreated)
	for _, path := range []string{"/confirms", "/approvals", "/plans", "/plans/x/propose", "/contexts", "/traces", "/roles"} {
		agent.post(path, `{}`).problem(http.StatusTooManyRequests, "rate-limited")
	}
	for _, path := range []string{"/validate/role", "/confirms/x/cancel", "/gate/consume"} {
		if got := agent.post(path, `{}`); got.status == http.StatusTooManyRequests {
			t.Errorf("%s creates nothing and was refused", path)
		}
	}
}
