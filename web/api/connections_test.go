package api_test

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/coder/websocket"

	"countersign/domain"
)

// pipes is a listener whose connections hold nothing that was not read.
type pipes struct {
	conns  chan net.Conn
	closed chan struct{}
	close  func()
}

func newPipes() *pipes {
	p := &pipes{conns: make(chan net.Conn), closed: make(chan struct{})}
	p.close = sync.OnceFunc(func() { close(p.closed) })
	return p
}

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case c := <-p.conns:
		return c, nil
	case <-p.closed:
		return nil, net.ErrClosed
	}
}

func (p *pipes) Close() error   { p.close(); return nil }
func (p *pipes) Addr() net.Addr { return &net.TCPAddr{} }

// piped serves on such connections, and gives what opens one with a request.
func (s *server) piped() func(request string) net.Conn {
	listener := newPipes()
	go func() { _ = s.http.Config.Serve(listener) }()
	s.t.Cleanup(func() { _ = listener.Close() })
	return func(request string) net.Conn {
		s.t.Helper()
		client, conn := net.Pipe()
		s.t.Cleanup(func() { _ = client.Close() })
		listener.conns <- conn
		if _, err := io.WriteString(client, request); err != nil {
			s.t.Fatal(err)
		}
		return client
	}
}

// text is a request as it is sent.
func (c *client) text(method, path string, headers ...string) string {
	return method + " /api/v1" + path + " HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer " + c.key + "\r\n" + strings.Join(headers, "") + "\r\n"
}

// TestB2_UnreadAnswerOfAWait counts as a wait, and is not held for longer than
// any other answer.
func TestB2_UnreadAnswerOfAWait(t *testing.T) {
	t.Parallel()
	s := newServer(t, func(c *domain.Config, h *http.Server) {
		c.Limits = domain.DefaultLimits()
		c.Limits.Waits = 1
		h.WriteTimeout = time.Second
	})
	agent := s.agent("executor", "planner")
	confirm := agent.post("/approvals", `{"approval_key":"s_1",`+toolCall[1:]).want(http.StatusCreated).text("confirm_id")
	agent.post("/confirms/"+confirm+"/cancel", "").want(http.StatusOK)
	open := s.piped()
	for _, path := range []string{"/confirms/" + confirm + "/outcome", "/approvals/s_1", "/gate?plan_id=p&step_id=s", "/confirms/none/outcome"} {
		wait := path + "?wait=60"
		if strings.Contains(path, "?") {
			wait = path + "&wait=60"
		}
		conn := open(agent.text(http.MethodGet, wait))
		s.awaitWaits(1)
		agent.get("/confirms/"+confirm+"/outcome?wait=60").problem(http.StatusTooManyRequests, "rate-limited")
		s.awaitWaits(0)
		if rest, err := io.ReadAll(conn); err != nil || len(rest) > 0 {
			t.Errorf("%s: the connection goes on with %q, %v", path, rest, err)
		}
	}
}

// TestB2_UnreadStreamsHoldLittle of a session, however long it is, and give it
// back.
func TestB2_UnreadStreamsHoldLittle(t *testing.T) { // alone: it measures
	s := newServer(t)
	agent := s.agent("executor")
	const confirms, size, streams = 40, 200 << 10, 20
	for range confirms {
		agent.post("/confirms", `{"target_type":"other","session_id":"s","actions":[{"name":"run","args":{"text":"`+strings.Repeat("x", size)+`"}}]}`).want(http.StatusCreated)
	}
	heap := func() int {
		var m runtime.MemStats
		runtime.GC()
		runtime.GC() // what pools hold
		runtime.ReadMemStats(&m)
		return int(m.HeapAlloc)
	}
	before := heap()
	open := s.piped()
	var conns []net.Conn
	for range streams {
		conn := open(agent.text(http.MethodGet, "/sessions/s/events?last_event_id=-1"))
		in := bufio.NewReader(conn)
		for line := ""; !strings.HasPrefix(line, "id: "); {
			var err error
			if line, err = in.ReadString('\n'); err != nil {
				t.Fatal(err)
			}
		}
		conns = append(conns, conn)
	}
	if each := (heap() - before) / streams; each > 3*size {
		t.Errorf("a stream holds %d bytes of a session of %d", each, confirms*size)
	}
	for _, conn := range conns {
		if err := conn.Close(); err != nil {
			t.Error(err)
		}
	}
	s.awaitWaits(0)
	s.requests.Wait()
	if left := heap() - before; left > size {
		t.Errorf("%d bytes are left", left)
	}
}

// TestB3_WhateverIsSentEndsAStream, whose place is given back.
func TestB3_WhateverIsSentEndsAStream(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	agent := s.agent("executor", "reviewer")
	for _, path := range []string{"/sessions/s/events", "/events"} {
		for _, behind := range []bool{true, false} {
			conn, err := net.Dial("tcp", s.http.Listener.Addr().String())
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = conn.Close() })
			if err := conn.SetDeadline(time.Now().Add(writeTimeout)); err != nil {
				t.Fatal(err)
			}
			request := agent.text(http.MethodGet, path, "Accept: text/event-stream\r\n")
			more := agent.text(http.MethodGet, "/confirms")
			if behind {
				request += more
			}
			if _, err := io.WriteString(conn, request); err != nil {
				t.Fatal(err)
			}
			in := bufio.NewReader(conn)
			for line := ""; line != ": connected\n"; {
				if line, err = in.ReadString('\n'); err != nil {
					t.Fatal(err)
				}
			}
			if !behind {
				s.awaitWaits(1)
				if _, err := io.WriteString(conn, more); err != nil {
					t.Fatal(err)
				}
			}
			s.awaitWaits(0)
			rest, err := io.ReadAll(in)
			var late net.Error
			if errors.As(err, &late) && late.Timeout() || strings.Contains(string(rest), "HTTP/") {
				t.Errorf("%s: the connection goes on with %q, %v", path, rest, err)
			}
		}
	}
}

// TestB3_SocketOfWhoSendsTooMuch is closed, whatever it is.
func TestB3_SocketOfWhoSendsTooMuch(t *testing.T) {
	t.Parallel()
	s := newServer(t, func(c *domain.Config, _ *http.Server) {
		c.Limits = domain.DefaultLimits()
		c.Limits.Creates, c.Limits.Burst = 1, 10
	})
	for name, send := range map[string]func(*socket) error{
		"commands": func(o *socket) error {
			return o.conn.Write(o.ctx, websocket.MessageText, []byte(`{"approval_key":"s_1","decisions":[{"type":"approve"}]}`))
		},
		"pings": func(o *socket) error { return o.conn.Ping(o.ctx) },
	} {
		t.Run(name, func(t *testing.T) {
			agent := s.keyFor(domain.KeyInput{Name: name, Roles: []string{"executor"}})
			open := agent.on(t).connect("/sessions/s/ws")
			closed := make(chan error, 1)
			go func() {
				for {
					if _, _, err := open.conn.Read(open.ctx); err != nil {
						closed <- err
						return
					}
				}
			}()
			for range 12 {
				if send(open) != nil {
					break
				}
			}
			if err := <-closed; websocket.CloseStatus(err) != websocket.StatusPolicyViolation {
				t.Errorf("closed with %v", err)
			}
			agent.on(t).post("/confirms", toolCall).want(http.StatusCreated)
		})
	}
}

// unfinished begins a post and sends none of its body.
func (c *client) unfinished(path string, size int) net.Conn {
	c.t.Helper()
	conn, err := net.Dial("tcp", c.s.http.Listener.Addr().String())
	if err != nil {
		c.t.Fatal(err)
	}
	c.t.Cleanup(func() { _ = conn.Close() })
	length := fmt.Sprintf("Content-Length: %d\r\n", size)
	if size < 0 {
		length = "Transfer-Encoding: chunked\r\n"
	}
	if _, err := io.WriteString(conn, c.text(http.MethodPost, path, "Content-Type: application/json\r\nExpect: 100-continue\r\n", length)); err != nil {
		c.t.Fatal(err)
	}
	return conn
}

// answers gives the status that comes next: 100 when the body is to be read.
func answers(t *testing.T, conn net.Conn, want int) {
	t.Helper()
	if err := conn.SetReadDeadline(time.Now().Add(writeTimeout)); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(conn).ReadString('\n')
	if err != nil || !strings.HasPrefix(line, fmt.Sprintf("HTTP/1.1 %d ", want)) {
		t.Fatalf("answer %q, %v, want %d", line, err, want)
	}
}

// TestN10_BodiesTakeTurns: of large bodies, a key has so many bytes on their way;
// others and small ones are read meanwhile.
func TestN10_BodiesTakeTurns(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	greedy, other := s.agent("planner", "executor"), s.agent("planner")
	plan := s.Limits().PlanBody
	first, second := greedy.unfinished("/plans", plan), greedy.unfinished("/plans", plan)
	answers(t, first, http.StatusContinue)
	answers(t, second, http.StatusContinue)
	third := greedy.unfinished("/plans", plan)
	answers(t, other.unfinished("/plans", plan), http.StatusContinue)
	greedy.post("/confirms", toolCall).want(http.StatusCreated)
	other.post("/plans", draft).want(http.StatusCreated)
	if err := third.SetReadDeadline(time.Now().Add(100 * time.Millisecond)); err != nil {
		t.Fatal(err)
	}
	if n, err := third.Read(make([]byte, 1)); n > 0 || err == nil {
		t.Error("the third is read beside the others")
	}
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	answers(t, third, http.StatusContinue)
	fourth := greedy.unfinished("/plans", plan)
	answers(t, fourth, http.StatusTooManyRequests)
}

// TestN10_BodyOfUnknownLength reserves the most that there may be, once it is not
// small.
func TestN10_BodyOfUnknownLength(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	agent := s.agent("executor")
	for _, size := range []int{0, 100, 4 << 10, 5 << 10, 100 << 10} {
		body := strings.Replace(toolCall, "Buy low", strings.Repeat("x", size), 1)
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.http.URL+"/api/v1/confirms", io.MultiReader(strings.NewReader(body)))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Authorization", "Bearer "+agent.key)
		answer, err := s.http.Client().Do(r)
		if err != nil {
			t.Fatal(err)
		}
		_ = answer.Body.Close()
		if answer.StatusCode != http.StatusCreated {
			t.Errorf("%d bytes: status %d", len(body), answer.StatusCode)
		}
	}
}

// TestN10_UnfinishedCommands of a socket take their memory from the same budget.
func TestN10_UnfinishedCommands(t *testing.T) {
	t.Parallel()
	s := newServer(t, func(c *domain.Config, _ *http.Server) {
		c.Limits = domain.DefaultLimits()
		c.Limits.PlanBody = c.Limits.Body
	})
	agent := s.agent("executor")
	var sockets []*socket
	for range 3 {
		open := agent.connect("/sessions/s/ws")
		w, err := open.conn.Writer(open.ctx, websocket.MessageText)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write(make([]byte, 64<<10)); err != nil {
			t.Fatal(err)
		}
		sockets = append(sockets, open)
	}
	closed := make(chan error, len(sockets))
	for _, open := range sockets {
		go func() {
			_, _, err := open.conn.Read(open.ctx)
			closed <- err
		}()
	}
	if err := <-closed; websocket.CloseStatus(err) != websocket.StatusPolicyViolation {
		t.Errorf("closed with %v", err)
	}
	s.awaitWaits(2)
}

// TestB7_RateComesBeforeTheBody: what is refused is not read.
func TestB7_RateComesBeforeTheBody(t *testing.T) {
	t.Parallel()
	s := newServer(t, func(c *domain.Config, _ *http.Server) {
		c.Limits = domain.DefaultLimits()
		c.Limits.Creates, c.Limits.Burst = 1, 1
	})
	agent := s.agent("planner")
	answers(t, agent.unfinished("/plans", 100), http.StatusContinue)
	answers(t, agent.unfinished("/plans", 100), http.StatusTooManyRequests)
}

// TestB7_ChangesAreRated as posts are, in the same bucket.
func TestB7_ChangesAreRated(t *testing.T) {
	t.Parallel()
	s := newServer(t, func(c *domain.Config, _ *http.Server) {
		c.Limits = domain.DefaultLimits()
		c.Limits.Creates, c.Limits.Burst = 1, 1
	})
	agent := s.agent("admin", "planner", "executor")
	agent.post("/confirms", toolCall).want(http.StatusCreated)
	before := s.entries()
	for path, method := range map[string]string{
		"/plans/x": http.MethodPut, "/contexts/x": http.MethodPut, "/roles/x": http.MethodPut, "/plans/x/steps/s1": http.MethodPatch,
		"/plans/x/start": http.MethodPost, "/plans/x/complete": http.MethodPost, "/plans/x/fail": http.MethodPost,
	} {
		agent.do(method, path, "{}").problem(http.StatusTooManyRequests, "rate-limited")
	}
	if after := s.entries(); after != before {
		t.Errorf("what was refused left %d entries", after-before)
	}
}
