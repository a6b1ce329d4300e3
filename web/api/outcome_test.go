package api_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptrace"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"countersign/domain"
)

// writeTimeout is how long a test waits for what should come at once; it is less
// than any wait that the tests ask for.
const writeTimeout = 30 * time.Second

// waiting sends a request that waits and returns once it is on its way.
func (c *client) waiting(ctx context.Context, path string) <-chan reply {
	c.t.Helper()
	return c.asking(ctx, http.MethodGet, path, "")
}

// posting is waiting for the answer to a post.
func (c *client) posting(ctx context.Context, path, body string) <-chan reply {
	c.t.Helper()
	return c.asking(ctx, http.MethodPost, path, body)
}

func (c *client) asking(ctx context.Context, method, path, body string) <-chan reply {
	c.t.Helper()
	sent, answer := make(chan struct{}), make(chan reply, 1)
	ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{WroteRequest: func(httptrace.WroteRequestInfo) { close(sent) }})
	go func() {
		r, err := c.send(ctx, method, path, body)
		if err != nil && !errors.Is(err, context.Canceled) {
			c.t.Error(err)
		}
		answer <- r
	}()
	<-sent
	return answer
}

func TestOutcome_Shapes(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	agent, reviewer := s.agent("executor", "planner"), s.decider("alpha", "reviewer")
	outcome := func(confirm reply) reply {
		return agent.get("/confirms/" + confirm.text("confirm_id") + "/outcome").want(http.StatusOK)
	}
	members := func(r reply) (names []string) {
		var object map[string]any
		r.decode(&object)
		for _, name := range []string{"approval_key", "cause", "confirm_id", "content_hash", "decided_at", "decided_by_role", "decisions",
			"effective_hash", "expires_at", "log_index", "reason", "status", "user_edit_content"} {
			if _, ok := object[name]; ok {
				names = append(names, name)
				delete(object, name)
			}
		}
		for name := range object {
			t.Errorf("an outcome has no member %s", name)
		}
		return names
	}
	check := func(name string, got reply, status, cause string, want ...string) {
		t.Helper()
		if got.text("status") != status || got.text("cause") != cause {
			t.Errorf("%s: %s by %s, want %s by %s", name, got.text("status"), got.text("cause"), status, cause)
		}
		if diff := cmp.Diff(want, members(got)); diff != "" {
			t.Errorf("%s: members (-want +got):\n%s", name, diff)
		}
	}
	decided := []string{"cause", "confirm_id", "content_hash", "decided_at", "decided_by_role", "decisions", "effective_hash", "expires_at", "log_index"}
	withReason := append(append([]string{}, decided...), "reason", "status")

	call := agent.post("/confirms", toolCall).want(http.StatusCreated)
	pending := outcome(call)
	check("pending", pending, "pending", "", "confirm_id", "content_hash", "expires_at", "status")
	if got := pending.header.Get("Retry-After"); got != "0" {
		t.Errorf("pending: Retry-After %q, want 0", got)
	}

	reviewer.decide(call, "approved").want(http.StatusCreated)
	approved := outcome(call)
	check("approved", approved, "approved", "agent", append(append([]string{}, decided...), "status")...)
	if approved.header.Get("Retry-After") != "" {
		t.Error("approved: there is a Retry-After")
	}
	if approved.text("decided_by_role") != "reviewer" || approved.text("effective_hash") != approved.text("content_hash") {
		t.Errorf("approved: %s", approved.body)
	}

	late := agent.post("/confirms", toolCall).want(http.StatusCreated)
	s.pass(301 * time.Second)
	timeout := outcome(late)
	check("timeout", timeout, "rejected", "timeout", withReason...)
	if got, want := timeout.text("reason"), "Timed out after 300 s: nobody decided. This is not a refusal."; got != want {
		t.Errorf("timeout: reason %q, want %q", got, want)
	}
	if timeout.text("decided_by_role") != "system" || !strings.Contains(timeout.body, `"decisions":[{"type":"reject",`) {
		t.Errorf("timeout: %s", timeout.body)
	}

	plain := agent.post("/confirms", `{"target_type":"plan","target_id":"plan-1"}`).want(http.StatusCreated)
	agent.post("/confirms/"+plain.text("confirm_id")+"/cancel", "").want(http.StatusOK)
	check("cancelled", outcome(plain), "cancelled", "cancelled",
		"cause", "confirm_id", "content_hash", "decided_at", "decided_by_role", "effective_hash", "log_index", "reason", "status")

	imported := agent.post("/confirms", example(t, "s000-L237-confirm")).want(http.StatusCreated)
	check("import", outcome(imported), "unsubstantiated", "import", "cause", "confirm_id", "content_hash", "reason", "status")
}

func TestOutcome_DecisionWakesAllWhoWait(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	agent, reviewer := s.agent("executor"), s.decider("alpha", "reviewer")
	confirm := agent.post("/confirms", toolCall).want(http.StatusCreated)
	ctx, cancel := context.WithTimeout(t.Context(), writeTimeout)
	defer cancel()
	var answers []<-chan reply
	for range 20 {
		answers = append(answers, agent.waiting(ctx, "/confirms/"+confirm.text("confirm_id")+"/outcome?wait=60"))
	}
	reviewer.decide(confirm, "approved").want(http.StatusCreated)
	for _, answer := range answers {
		if got := (<-answer).want(http.StatusOK).text("status"); got != "approved" {
			t.Errorf("woken with %s", got)
		}
	}
}

// TestOutcome_WaitOutlivesTheDeadlines: a wait is longer than what the server
// gives other requests for reading and writing.
func TestOutcome_WaitOutlivesTheDeadlines(t *testing.T) {
	t.Parallel()
	s := newServer(t, func(_ *domain.Config, h *http.Server) {
		h.ReadTimeout, h.WriteTimeout = 900*time.Millisecond, 900*time.Millisecond // a loaded machine takes long
	})
	agent := s.agent("executor")
	confirm := agent.post("/approvals", `{"approval_key":"s_1",`+toolCall[1:]).want(http.StatusCreated)
	for _, path := range []string{"/confirms/" + confirm.text("confirm_id") + "/outcome", "/approvals/s_1"} {
		started := time.Now()
		got := agent.get(path + "?wait=1").want(http.StatusOK)
		if got.text("status") != "pending" || got.header.Get("Retry-After") != "0" {
			t.Errorf("%s: %s, Retry-After %q", path, got.body, got.header.Get("Retry-After"))
		}
		if waited := time.Since(started); waited < time.Second {
			t.Errorf("%s answered after %v", path, waited)
		}
	}
}

func TestOutcome_CallerWhoLeavesEndsQuietly(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	agent := s.agent("executor")
	confirm := agent.post("/confirms", toolCall).want(http.StatusCreated)
	ctx, leave := context.WithCancel(t.Context())
	answer := agent.waiting(ctx, "/confirms/"+confirm.text("confirm_id")+"/outcome?wait=60")
	leave()
	<-answer
	closed := make(chan struct{})
	go func() {
		s.http.Close() // returns when no request is left
		close(closed)
	}()
	select {
	case <-closed:
	case <-time.After(writeTimeout):
		t.Fatal("the wait goes on without its caller")
	}
	if s.log.Len() > 0 {
		t.Errorf("the operator is told %s", s.log)
	}
}

func TestOutcome_StoppingServerAnswersThoseWhoWait(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	agent := s.agent("executor")
	confirm := agent.post("/confirms", toolCall).want(http.StatusCreated)
	ctx, cancel := context.WithTimeout(t.Context(), writeTimeout)
	defer cancel()
	answer := agent.waiting(ctx, "/confirms/"+confirm.text("confirm_id")+"/outcome?wait=60")
	s.Feed().Close()
	got := (<-answer).want(http.StatusOK)
	if got.text("status") != "pending" || got.header.Get("Retry-After") != "0" {
		t.Errorf("answered %s", got.body)
	}
}

func TestOutcome_MalformedWait(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	agent := s.agent("executor")
	confirm := agent.post("/confirms", toolCall).want(http.StatusCreated)
	for _, wait := range []string{"-1", "1.5", "1s", "%20", "+1"} {
		t.Run(wait, func(t *testing.T) {
			agent.on(t).get("/confirms/"+confirm.text("confirm_id")+"/outcome?wait="+wait).
				problem(http.StatusUnprocessableEntity, "invalid").fault("wait", "type_error")
		})
	}
	agent.post("/confirms/"+confirm.text("confirm_id")+"/cancel", "").want(http.StatusOK)
	for _, wait := range []string{"0", "61", "99999999999999999999"} {
		t.Run(wait, func(t *testing.T) {
			agent.on(t).get("/confirms/" + confirm.text("confirm_id") + "/outcome?wait=" + wait).want(http.StatusOK)
		})
	}
}
