package api_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/labstack/echo/v4"

	"countersign/domain"
	"countersign/web/park"
	"countersign/web/route"
)

// eachWay runs a test where everybody waits in the ordinary way, and where
// whoever waits is parked at once.
func eachWay(t *testing.T, test func(t *testing.T, newServer start)) {
	t.Helper()
	t.Run("ordinary", func(t *testing.T) {
		t.Parallel()
		test(t, newServer)
	})
	t.Run("parked", func(t *testing.T) {
		t.Parallel()
		test(t, newParkingServer)
	})
}

// newParkingServer is a server that parks whoever waits at once.
func newParkingServer(t *testing.T, change ...func(*domain.Config, *http.Server)) *server {
	t.Helper()
	return newServerWith(t, park.NewLot(0), change...)
}

// startParking starts a server with its lot. The test ends when nobody is parked
// any more.
func (s *server) startParking(e *echo.Echo) {
	e.Pre(func(next echo.HandlerFunc) echo.HandlerFunc {
		return func(c echo.Context) error {
			err := next(c)
			if rest := route.RestOf(c); rest != nil {
				go rest(func(int64) {})
			}
			return err
		}
	})
	s.lot.Join(s.http.Config)
	s.http.Start()
	var serving sync.WaitGroup
	serving.Go(func() { _ = s.http.Config.Serve(s.lot) })
	s.t.Cleanup(func() { // before the database is closed
		s.Feed().Close()
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		s.lot.Drain(ctx)
		if n := s.lot.Parked(); n > 0 {
			s.t.Errorf("%d are still parked", n)
		}
		_ = s.lot.Close()
		serving.Wait()
	})
}

// awaitParked waits until so many are parked.
func (s *server) awaitParked(n int) {
	s.t.Helper()
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for late := time.Now().Add(patience); s.lot.Parked() != n; <-tick.C {
		if time.Now().After(late) {
			s.t.Fatalf("%d are parked, want %d", s.lot.Parked(), n)
		}
	}
}

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

// TestPark_EveryWaitIsAnswered by what it waits for, through each address that
// waits.
func TestPark_EveryWaitIsAnswered(t *testing.T) {
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
			s := newParkingServer(t)
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
			s.awaitParked(each * len(waits))
			began := time.Now()
			tt.end(s, other, reviewer, confirm)
			for path, want := range waits {
				for _, answer := range answers[path] {
					if got := <-answer; !strings.Contains(got.body, want) {
						t.Errorf("%s: answer %s, want %s", path, got.body, want)
					}
				}
			}
			if took := time.Since(began); took > patience {
				t.Errorf("it took %v", took)
			}
			s.awaitParked(0)
		})
	}
}

// TestPark_NoWakeUpIsLost: decisions come at any moment of parking.
func TestPark_NoWakeUpIsLost(t *testing.T) {
	t.Parallel()
	s := newParkingServer(t)
	agent, reviewer := s.agent("executor"), s.decider("alpha", "reviewer")
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	for i := range 100 {
		confirm := agent.post("/confirms", toolCall).want(http.StatusCreated)
		answer := agent.waiting(ctx, "/confirms/"+confirm.text("confirm_id")+"/outcome?wait=60")
		if i%2 == 0 {
			s.awaitParked(1)
		}
		reviewer.decide(confirm, "approved").want(http.StatusCreated)
		if got := (<-answer).want(http.StatusOK); got.text("status") != "approved" {
			t.Fatalf("woken with %s", got.body)
		}
	}
}

// TestPark_WakingUpForNothing does not make a wait longer.
func TestPark_WakingUpForNothing(t *testing.T) {
	t.Parallel()
	s := newParkingServer(t)
	agent, role := s.agent("executor"), s.role("changing", "role.read")
	confirm := agent.post("/confirms", toolCall).want(http.StatusCreated)
	began := time.Now()
	answer := agent.waiting(t.Context(), "/confirms/"+confirm.text("confirm_id")+"/outcome?wait=2")
	for i := range 5 {
		s.awaitParked(1)
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

// TestPark_LeavingGivesThePlaceBack, and so does coming to an end, while being
// parked keeps it.
func TestPark_LeavingGivesThePlaceBack(t *testing.T) {
	t.Parallel()
	s := newParkingServer(t, func(c *domain.Config, _ *http.Server) {
		c.Limits = domain.DefaultLimits()
		c.Limits.Waits = 2
	})
	agent := s.agent("executor")
	confirm := agent.post("/confirms", toolCall).want(http.StatusCreated)
	path := "/confirms/" + confirm.text("confirm_id") + "/outcome?wait="
	for range 3 {
		leaving := []func(){agent.leaves(path + "60"), agent.leaves("/sessions/s/events")}
		s.awaitParked(2)
		agent.get(path+"60").problem(http.StatusTooManyRequests, "rate-limited")
		for _, leave := range leaving {
			leave()
		}
		for late := time.Now().Add(patience); ; {
			got := agent.get(path + "1")
			if got.status == http.StatusOK {
				break
			}
			if got.problem(http.StatusTooManyRequests, "rate-limited"); time.Now().After(late) {
				t.Fatal("the places are not given back")
			}
		}
		s.awaitParked(0)
	}
	if s.log.Len() > 0 {
		t.Errorf("the operator is told %s", s.log)
	}
}

// TestPark_StreamHearsNoWords: what a listener sends behind its request changes
// nothing.
func TestPark_StreamHearsNoWords(t *testing.T) {
	t.Parallel()
	s := newParkingServer(t)
	agent := s.agent("executor")
	conn, err := net.Dial("tcp", s.http.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if _, err := fmt.Fprintf(conn, "GET /api/v1/sessions/s/events HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\n\r\nGET / HTTP/1.1\r\n", agent.key); err != nil {
		t.Fatal(err)
	}
	s.awaitParked(1)
	if _, err := conn.Write([]byte("Host: x\r\n\r\n")); err != nil {
		t.Fatal(err)
	}
	agent.post("/approvals", `{"approval_key":"s_1",`+toolCall[1:]).want(http.StatusCreated)
	s.Feed().Close()
	answer, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil || strings.Count(string(text), "data: ") != 2 {
		t.Errorf("heard %s, %v", text, err)
	}
}
