package api_test

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"

	"countersign/domain"
)

// socket is a session's stream in both directions.
type socket struct {
	t    *testing.T
	ctx  context.Context
	conn *websocket.Conn
}

// dial opens a socket; options may change how.
func (c *client) dial(path string, options ...func(*websocket.DialOptions)) (*socket, *http.Response, error) {
	c.t.Helper()
	ctx, cancel := context.WithTimeout(c.t.Context(), writeTimeout)
	c.t.Cleanup(cancel)
	o := &websocket.DialOptions{HTTPHeader: http.Header{}}
	if c.key != "" {
		o.HTTPHeader.Set("Authorization", "Bearer "+c.key)
	}
	for _, option := range options {
		option(o)
	}
	conn, answer, err := websocket.Dial(ctx, strings.Replace(c.s.http.URL, "http", "ws", 1)+"/api/v1"+path, o)
	if err != nil {
		return nil, answer, err
	}
	c.t.Cleanup(func() { conn.CloseNow() })
	return &socket{c.t, ctx, conn}, answer, nil
}

func (c *client) connect(path string, options ...func(*websocket.DialOptions)) *socket {
	c.t.Helper()
	s, _, err := c.dial(path, options...)
	if err != nil {
		c.t.Fatal(err)
	}
	return s
}

func (s *socket) send(text string) {
	s.t.Helper()
	if err := s.conn.Write(s.ctx, websocket.MessageText, []byte(text)); err != nil {
		s.t.Fatal(err)
	}
}

func (s *socket) read() string {
	s.t.Helper()
	kind, text, err := s.conn.Read(s.ctx)
	if err != nil || kind != websocket.MessageText {
		s.t.Fatalf("the socket gives %v, %v", kind, err)
	}
	return string(text)
}

// take reads frames and takes their ids out of them.
func (s *socket) take(n int) (list []message) {
	s.t.Helper()
	for range n {
		frame := value(s.t, s.read()).(map[string]any)
		m := message{}
		m.id, _ = frame["id"].(string)
		delete(frame, "id")
		text, err := json.Marshal(frame)
		if err != nil {
			s.t.Fatal(err)
		}
		m.data = string(text)
		list = append(list, m)
	}
	return list
}

// problem asserts that the next frame says why a command was refused.
func (s *socket) problem(slug string, status int, key string) {
	s.t.Helper()
	var frame struct {
		Type, ID    string
		ApprovalKey string `json:"approval_key"`
		Error       struct {
			Type, Title, Detail, Instance string
			Status                        int
			RequestID                     string `json:"request_id"`
		}
	}
	text := s.read()
	reply{t: s.t, body: text}.decode(&frame)
	e := frame.Error
	if frame.Type != "error" || e.Type != "/problems/"+slug || e.Status != status || frame.ApprovalKey != key ||
		e.Title == "" || e.Detail == "" || e.Instance == "" || e.RequestID == "" {
		s.t.Errorf("frame %s, want a problem %s of %d about %q", text, slug, status, key)
	}
}

// closed asserts with which code the server closes the socket.
func (s *socket) closed(want websocket.StatusCode) {
	s.t.Helper()
	_, text, err := s.conn.Read(s.ctx)
	if got := websocket.CloseStatus(err); got != want {
		s.t.Errorf("closed with %v after %q, %v; want %v", got, text, err, want)
	}
}

// TestA20b_CommandsOverTheSocket takes each command of the approval flow,
// React's and Flutter's own among them, and hears what it leads to.
func TestA20b_CommandsOverTheSocket(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, command, delta string }{
		{"A-12 approve", "s004-L081-approval", `[{"type":"approve"}]`},
		{"A-13 reject", "s004-L094-approval", `[{"type":"reject"}]`},
		{"A-14 edit", "s004-L107-approval", `[{"type":"edit","edited_action":{"name":"execute_trade","args":{"symbol":"VNM","quantity":50,"side":"buy","price":82000}}}]`},
		{"A-15 text", "s004-L129-approval", `[{"type":"approve"}]`},
		{"A-20b as React writes it", `{"type":"approval","session_id":"abc-123","approval_key":"abc-123_1","decisions":[{"type":"approve"}]}`, `[{"type":"approve"}]`},
		{"A-21 without a session", `{"type":"approval","approval_key":"abc-123_1","decisions":[{"type":"reject"}]}`, `[{"type":"reject"}]`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := newServer(t)
			agent, reviewer := s.agent("executor"), s.decider("alpha", "reviewer")
			decides, asks := reviewer.connect("/sessions/abc-123/ws"), agent.connect("/sessions/abc-123/ws")
			agent.post("/approvals", example(t, "s004-L035-content_block_start")).want(http.StatusCreated)
			for _, heard := range []*socket{decides, asks} {
				frames(t, heard.take(2), example(t, "s004-L035-content_block_start"), example(t, "s004-L062-content_block_stop"))
			}
			command := tt.command
			if !strings.HasPrefix(command, "{") {
				command = example(t, command)
			}
			decides.send(command)
			delta := `{"type":"content_block_delta","index":5,"delta":{"decisions":` + tt.delta + `}}`
			for _, heard := range []*socket{decides, asks} {
				like(t, heard.take(3), example(t, "s004-L161-content_block_start"), delta, example(t, "s004-L178-content_block_stop"))
			}
			outcome := agent.get("/approvals/abc-123_1").want(http.StatusOK)
			if strings.Contains(command, "50 cổ") && outcome.text("user_edit_content") != "OK nhưng chỉ mua 50 cổ thôi" {
				t.Errorf("the outcome is %s", outcome.body)
			}
		})
	}
}

func TestSocket_RefusedCommands(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	agent, reviewer := s.agent("executor"), s.decider("alpha", "reviewer")
	agent.post("/approvals", `{"approval_key":"s_1",`+toolCall[1:]).want(http.StatusCreated)
	agent.post("/approvals", `{"approval_key":"other_1",`+toolCall[1:]).want(http.StatusCreated)
	decides, asks := reviewer.connect("/sessions/s/ws"), agent.connect("/sessions/s/ws")
	decides.take(2)
	asks.take(2)
	before := s.entries()
	tests := []struct {
		name, command, slug string
		status              int
		key                 string
	}{
		{"not JSON", `approve`, "invalid-json", 400, ""},
		{"twice the same", `{"approval_key":"s_1","approval_key":"s_1"}`, "invalid-json", 400, ""},
		{"no key", `{"type":"approval","session_id":"s","decisions":[{"type":"approve"}]}`, "invalid", 422, ""},
		{"no decisions", `{"type":"approval","approval_key":"s_1"}`, "invalid", 422, ""},
		{"another type", `{"type":"approve","approval_key":"s_1","decisions":[{"type":"approve"}]}`, "invalid", 422, ""},
		{"another session's", `{"approval_key":"other_1","decisions":[{"type":"approve"}]}`, "invalid", 422, "other_1"},
		{"unknown", `{"approval_key":"s_2","decisions":[{"type":"approve"}]}`, "not-found", 404, "s_2"},
		{"too many", `{"approval_key":"s_1","decisions":[{"type":"approve"},{"type":"approve"}]}`, "invalid", 422, "s_1"},
	}
	for _, tt := range tests {
		decides.send(tt.command)
		decides.problem(tt.slug, tt.status, tt.key)
	}
	asks.send(`{"approval_key":"s_1","decisions":[{"type":"approve"}]}`)
	asks.problem("missing-capability", 403, "s_1")
	if after := s.entries(); after != before {
		t.Errorf("the refusals left %d entries", after-before)
	}
	decides.send(`{"approval_key":"s_1","decisions":[{"type":"approve"}]}`)
	decides.take(3)
	decides.send(`{"approval_key":"s_1","decisions":[{"type":"reject"}]}`)
	decides.problem("already-decided", 409, "s_1")
}

func TestSocket_ResumeLosesNothing(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	agent, reviewer := s.agent("executor"), s.decider("alpha", "reviewer")
	first := agent.connect("/sessions/s/ws")
	agent.post("/approvals", `{"approval_key":"s_1",`+toolCall[1:]).want(http.StatusCreated)
	all := first.take(1)
	first.conn.CloseNow()
	reviewer.post("/approvals/s_1", `{"decisions":[{"type":"approve"}]}`).want(http.StatusOK)
	for len(all) < 5 {
		again := agent.connect("/sessions/s/ws?last_event_id=" + all[len(all)-1].id)
		all = append(all, again.take(1)...)
		again.conn.CloseNow()
	}
	for i, m := range agent.listen("/sessions/s/events?last_event_id=-1").take(5) {
		if all[i].id != m.id {
			t.Errorf("frame %d has the id %s, over SSE %s", i, all[i].id, m.id)
		}
		frames(t, all[i:i+1], m.data)
	}
}

// TestSocket_KeyOfBrowsers: they cannot set headers, so the key is offered as a
// protocol.
func TestSocket_KeyOfBrowsers(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	agent := s.agent("executor")
	nobody := &client{s, t, ""}
	offer := func(protocols ...string) func(*websocket.DialOptions) {
		return func(o *websocket.DialOptions) {
			o.Subprotocols = protocols
			o.HTTPHeader.Set("Origin", "https://app.example")
		}
	}
	open, answer, err := nobody.dial("/sessions/s/ws", offer("countersign.v1", "bearer."+agent.key))
	if err != nil {
		t.Fatal(err)
	}
	if got := open.conn.Subprotocol(); got != "countersign.v1" {
		t.Errorf("the server selects %q", got)
	}
	if strings.Contains(strings.Join(answer.Header["Sec-Websocket-Protocol"], " "), agent.key) {
		t.Error("the answer repeats the key")
	}
	agent.post("/approvals", `{"approval_key":"s_1",`+toolCall[1:]).want(http.StatusCreated)
	open.take(2)
	for name, protocols := range map[string][]string{
		"no key": {"countersign.v1"}, "no protocol": {"bearer." + agent.key}, "no such key": {"countersign.v1", "bearer.cs_nothing"}, "nothing": nil,
	} {
		_, answer, err := nobody.dial("/sessions/s/ws", offer(protocols...))
		if err == nil || answer == nil || answer.StatusCode != http.StatusUnauthorized {
			t.Errorf("%s: answered %v, %v", name, answer, err)
		}
	}
	cookie := func(o *websocket.DialOptions) { o.HTTPHeader.Set("Cookie", "countersign="+agent.key) }
	if _, answer, err := nobody.dial("/sessions/s/ws", cookie); err == nil || answer.StatusCode != http.StatusUnauthorized {
		t.Errorf("with a cookie: answered %v, %v", answer, err)
	}
	nobody.do(http.MethodGet, "/confirms", "", "Sec-WebSocket-Protocol", "countersign.v1, bearer."+agent.key).
		problem(http.StatusUnauthorized, "unauthenticated")
}

func TestSocket_EndsWithItsKey(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	agent := s.keyFor(domain.KeyInput{Name: "agent", Roles: []string{"executor"}})
	open := agent.connect("/sessions/s/ws")
	if err := s.RevokeKey(t.Context(), domain.System, "agent"); err != nil {
		t.Fatal(err)
	}
	open.closed(websocket.StatusPolicyViolation)
}

func TestSocket_EndsWithItsServer(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	open := s.agent("executor").connect("/sessions/s/ws")
	s.Feed().Close()
	open.closed(websocket.StatusGoingAway)
}

func TestSocket_WhatIsNoCommand(t *testing.T) {
	t.Parallel()
	s := newServer(t, func(c *domain.Config, _ *http.Server) {
		c.Limits = domain.DefaultLimits()
		c.Limits.Body = 1024
	})
	agent := s.agent("executor")
	binary := agent.connect("/sessions/s/ws")
	if err := binary.conn.Write(binary.ctx, websocket.MessageBinary, []byte{1}); err != nil {
		t.Fatal(err)
	}
	binary.closed(websocket.StatusUnsupportedData)
	large := agent.connect("/sessions/s/ws")
	if err := large.conn.Write(large.ctx, websocket.MessageText, bytes.Repeat([]byte(" "), 1025)); err != nil {
		t.Fatal(err)
	}
	large.closed(websocket.StatusMessageTooBig)
}

// TestSocket_PlaceIsGivenBack: who leaves does not count against the limit.
func TestSocket_PlaceIsGivenBack(t *testing.T) {
	t.Parallel()
	s := newServer(t, func(c *domain.Config, _ *http.Server) {
		c.Limits = domain.DefaultLimits()
		c.Limits.Waits = 1
	})
	agent := s.agent("executor")
	first := agent.connect("/sessions/s/ws")
	if _, answer, err := agent.dial("/sessions/s/ws"); err == nil || answer.StatusCode != http.StatusTooManyRequests {
		t.Errorf("answered %v, %v", answer, err)
	}
	if err := first.conn.Close(websocket.StatusNormalClosure, ""); err != nil {
		t.Fatal(err)
	}
	// The place comes free a moment after the farewell.
	for deadline := time.Now().Add(writeTimeout); ; {
		_, answer, err := agent.dial("/sessions/s/ws")
		if err == nil {
			return
		}
		if answer == nil || answer.StatusCode != http.StatusTooManyRequests || time.Now().After(deadline) {
			t.Fatalf("answered %v, %v", answer, err)
		}
	}
}
