package api_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"countersign/domain"
)

// Who posts and waits in one request gets the outcome.
func TestPostAndWait_Decided(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	agent, reviewer := s.agent("executor"), s.decider("alpha", "reviewer")
	for path, body := range map[string]string{
		"/confirms":  `{"confirm_id":"pay","target_type":"other",` + toolCall[len(`{"target_type":"other",`):],
		"/approvals": example(t, "s004-L035-content_block_start"),
	} {
		answer := agent.posting(t.Context(), path+"?wait=60", body)
		pending := s.awaitPending(agent, 1)
		confirm := agent.get("/confirms/" + pending[0]).want(http.StatusOK)
		reviewer.decide(confirm, "approved").want(http.StatusCreated)
		got := (<-answer).want(http.StatusOK)
		if got.text("status") != "approved" || got.text("cause") != "agent" || got.text("confirm_id") != confirm.text("confirm_id") {
			t.Errorf("%s: answer %s", path, got.body)
		}
		if again := agent.post(path+"?wait=60", body).want(http.StatusOK); again.text("status") != "approved" || again.text("effective_hash") == "" {
			t.Errorf("%s: the same post answers %s", path, again.body)
		}
		s.awaitWaits(0)
	}
}

// Until something is decided, the answer is that to any post.
func TestPostAndWait_NotDecided(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	agent := s.agent("executor")
	for path, body := range map[string]string{
		"/confirms":  `{"confirm_id":"pay","target_type":"other",` + toolCall[len(`{"target_type":"other",`):],
		"/approvals": example(t, "s004-L035-content_block_start"),
	} {
		waited := agent.post(path+"?wait=1", body).want(http.StatusCreated)
		again := agent.post(path, body).want(http.StatusOK)
		if waited.body != again.body || waited.header.Get("Location") != again.header.Get("Location") {
			t.Errorf("%s: waited %s, again %s", path, waited.body, again.body)
		}
	}
	agent.post("/confirms?wait=soon", toolCall).problem(http.StatusUnprocessableEntity, "invalid").fault("wait", "type_error")
	agent.post("/confirms?wait=60", `{"target_type":"plan"}`).problem(http.StatusUnprocessableEntity, "invalid").fault("target_id", "required")
}

// Who may not wait has not posted either: a second try would be a second request.
func TestPostAndWait_RefusedBeforeItIsPosted(t *testing.T) {
	t.Parallel()
	s := newServer(t, func(c *domain.Config, _ *http.Server) {
		c.Limits = domain.DefaultLimits()
		c.Limits.Waits = 1
	})
	agent := s.agent("executor")
	answer := agent.posting(t.Context(), "/confirms?wait=60", toolCall)
	s.awaitPending(agent, 1)
	agent.post("/confirms?wait=60", toolCall).problem(http.StatusTooManyRequests, "rate-limited")
	s.awaitPending(agent, 1)
	s.Feed().Close()
	if got := (<-answer).want(http.StatusCreated); got.text("status") != "pending" {
		t.Errorf("at the end of the server: %s", got.body)
	}
}

// Large bodies of those who wait keep nobody from sending one.
func TestPostAndWait_HoldsNoBody(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	agent := s.agent("executor")
	large := `{"target_type":"other","actions":[{"name":"write","args":{"text":"` + strings.Repeat("x", 250_000) + `"}}]}`
	const waiting = 50
	before := s.entries()
	for range waiting {
		agent.posting(t.Context(), "/confirms?wait=60", large)
	}
	s.until("all are posted", func() bool { return s.entries() == before+waiting })
	agent.post("/confirms", large).want(http.StatusCreated)
}

// awaitPending waits until so many confirms are pending, and gives their ids.
func (s *server) awaitPending(agent *client, n int) (ids []string) {
	s.t.Helper()
	s.until(fmt.Sprint(n, " are pending"), func() bool {
		ids = agent.get("/confirms?status=pending").want(http.StatusOK).ids("confirm_id")
		return len(ids) == n
	})
	return ids
}
