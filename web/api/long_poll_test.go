package api_test

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"countersign/domain"
)

// leaves sends a request that waits on a connection of its own, and gives how to
// close it.
func (c *client) leaves(path string) (leave func()) {
	c.t.Helper()
	conn, err := net.Dial("tcp", c.s.http.Listener.Addr().String())
	if err != nil {
		c.t.Fatal(err)
	}
	if _, err := fmt.Fprintf(conn, "GET /api/v1%s HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\n\r\n", path, c.key); err != nil {
		c.t.Fatal(err)
	}
	return func() {
		if err := conn.Close(); err != nil {
			c.t.Error(err)
		}
	}
}

// TestWait_EveryWaitIsAnswered by what it waits for, through each address that
// waits.
func TestWait_EveryWaitIsAnswered(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		end  func(s *server, agent, reviewer *client, confirm reply)
		want string // in the answer of who waits for the outcome, and in the gate's
		gate string
	}{
		{"a decision", func(_ *server, _, reviewer *client, confirm reply) {
			reviewer.decide(confirm, "rejected").want(http.StatusCreated)
		}, `"status":"rejected","cause":"agent"`, `"verdict":"ABORT"`},
		{"cancelling", func(_ *server, agent, _ *client, confirm reply) {
			agent.post("/confirms/"+confirm.text("confirm_id")+"/cancel", "").want(http.StatusOK)
		}, `"status":"cancelled"`, `"verdict":"CLEANUP"`},
		{"the deadline", func(s *server, agent, _ *client, _ reply) {
			s.pass(301 * time.Second)
			agent.get("/confirms?status=rejected").want(http.StatusOK) // settles what is due
		}, `"status":"rejected","cause":"timeout"`, `"verdict":"ABORT"`},
		{"the end of the server", func(s *server, _, _ *client, _ reply) { s.Feed().Close() },
			`"status":"pending"`, `"code":"pending"`},
		{"the end of the key", func(s *server, _, _ *client, _ reply) {
			if err := s.RevokeKey(s.t.Context(), domain.System, "bot"); err != nil {
				s.t.Error(err)
			}
		}, `"type":"/problems/unauthenticated"`, `"type":"/problems/unauthenticated"`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := newServer(t)
			// Two keys of one owner: one waits, the other acts.
			s.owner("asker")
			roles := []string{s.role("asking", "plan.*", "confirm.request")}
			agent := s.keyFor(domain.KeyInput{Name: "bot", Roles: roles, Owner: "asker"})
			other := s.keyFor(domain.KeyInput{Name: "other", Roles: roles, Owner: "asker"})
			reviewer := s.decider("alpha", "reviewer")
			agent.post("/plans", draft).want(http.StatusCreated)
			confirm := agent.post("/confirms", `{"target_type":"other","plan_id":"plan-1","step_id":"s1","approval_key":"k_1",`+toolCall[len(`{"target_type":"other",`):]).want(http.StatusCreated)
			const each = 50
			waits := map[string]string{
				"/confirms/" + confirm.text("confirm_id") + "/outcome?wait=60": tt.want,
				"/approvals/" + confirm.text("confirm_id") + "?wait=60":        tt.want,
				"/gate?plan_id=plan-1&step_id=s1&wait=60":                      tt.gate,
			}
			answers := map[string][]<-chan reply{}
			for path := range waits {
				for range each {
					answers[path] = append(answers[path], agent.waiting(t.Context(), path))
				}
			}
			s.awaitWaits(each * len(waits))
			began := time.Now()
			tt.end(s, other, reviewer, confirm)
			for path, want := range waits {
				for _, answer := range answers[path] {
					if got := <-answer; !strings.Contains(got.body, want) {
						t.Errorf("%s: answer %s, want %s", path, got.body, want)
					}
				}
			}
			if took := time.Since(began); took > writeTimeout {
				t.Errorf("it took %v", took)
			}
			s.awaitWaits(0)
		})
	}
}

// TestWait_NoWakeUpIsLost: decisions come at any moment of a wait.
func TestWait_NoWakeUpIsLost(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	agent, reviewer := s.agent("executor"), s.decider("alpha", "reviewer")
	ctx, cancel := context.WithTimeout(t.Context(), writeTimeout)
	defer cancel()
	for i := range 100 {
		confirm := agent.post("/confirms", toolCall).want(http.StatusCreated)
		answer := agent.waiting(ctx, "/confirms/"+confirm.text("confirm_id")+"/outcome?wait=60")
		if i%2 == 0 {
			s.awaitWaits(1)
		}
		reviewer.decide(confirm, "approved").want(http.StatusCreated)
		if got := (<-answer).want(http.StatusOK); got.text("status") != "approved" {
			t.Fatalf("woken with %s", got.body)
		}
	}
}

// TestWait_WakingUpForNothing does not make a wait longer.
func TestWait_WakingUpForNothing(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	agent, role := s.agent("executor"), s.role("changing", "role.read")
	confirm := agent.post("/confirms", toolCall).want(http.StatusCreated)
	began := time.Now()
	answer := agent.waiting(t.Context(), "/confirms/"+confirm.text("confirm_id")+"/outcome?wait=2")
	for i := range 5 {
		s.awaitWaits(1)
		in := domain.RoleInput{Name: role, Capabilities: []string{[]string{"role.read", "role.modify"}[i%2]}}
		if _, err := s.UpdateRole(t.Context(), domain.System, role, in); err != nil {
			t.Fatal(err)
		}
	}
	got := (<-answer).want(http.StatusOK)
	if took := time.Since(began); took < 2*time.Second || took > 4*time.Second {
		t.Errorf("it took %v", took)
	}
	if got.text("status") != "pending" || got.header.Get("Retry-After") != "0" {
		t.Errorf("answer %s", got.body)
	}
}

// TestWait_LeavingGivesThePlaceBack, and so does coming to an end.
func TestWait_LeavingGivesThePlaceBack(t *testing.T) {
	t.Parallel()
	s := newServer(t, func(c *domain.Config, _ *http.Server) {
		c.Limits = domain.DefaultLimits()
		c.Limits.Waits = 2
	})
	agent := s.agent("executor")
	confirm := agent.post("/confirms", toolCall).want(http.StatusCreated)
	path := "/confirms/" + confirm.text("confirm_id") + "/outcome?wait="
	for range 3 {
		leaving := []func(){agent.leaves(path + "60"), agent.leaves("/sessions/s/events")}
		s.awaitWaits(2)
		agent.get(path+"60").problem(http.StatusTooManyRequests, "rate-limited")
		for _, leave := range leaving {
			leave()
		}
		for late := time.Now().Add(writeTimeout); ; {
			got := agent.get(path + "1")
			if got.status == http.StatusOK {
				break
			}
			if got.problem(http.StatusTooManyRequests, "rate-limited"); time.Now().After(late) {
				t.Fatal("the places are not given back")
			}
		}
		s.awaitWaits(0)
	}
	if s.log.Len() > 0 {
		t.Errorf("the operator is told %s", s.log)
	}
}
