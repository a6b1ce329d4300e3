package api_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"countersign/domain"
)

// session is the stream of the documents' session.
const session = "/sessions/abc-123/events"

// TestA18_FramesOfAnExchange holds what a listener hears to the documents'
// frames, for each way in which a request can end.
func TestA18_FramesOfAnExchange(t *testing.T) {
	t.Parallel()
	request := func(t *testing.T) []string {
		return []string{example(t, "s004-L035-content_block_start"), example(t, "s004-L062-content_block_stop")}
	}
	result := func(decisions string) func(*testing.T) []string {
		return func(t *testing.T) []string {
			delta := `{"type":"content_block_delta","index":5,"delta":{"decisions":` + decisions + `}}`
			return []string{example(t, "s004-L161-content_block_start"), delta, example(t, "s004-L178-content_block_stop")}
		}
	}
	command := func(name string) func(*server, *client, *client) {
		return func(_ *server, _, reviewer *client) {
			reviewer.post("/approvals/abc-123_1", example(reviewer.t, name)).want(http.StatusOK)
		}
	}
	tests := []struct {
		name  string
		end   func(s *server, agent, reviewer *client)
		want  func(*testing.T) []string
		cause string
	}{
		{"A-12 approve", command("s004-L081-approval"), func(t *testing.T) []string {
			return []string{example(t, "s004-L161-content_block_start"), example(t, "s004-L169-content_block_delta"), example(t, "s004-L178-content_block_stop")}
		}, "agent"},
		{"A-13 reject", command("s004-L094-approval"), result(`[{"type":"reject"}]`), "agent"},
		{"A-14 edit", command("s004-L107-approval"),
			result(`[{"type":"edit","edited_action":{"name":"execute_trade","args":{"symbol":"VNM","quantity":50,"side":"buy","price":82000}}}]`), "agent"},
		{"A-15 text", command("s004-L129-approval"), result(`[{"type":"approve"}]`), "agent"},
		{"cancel", func(_ *server, agent, _ *client) {
			id := agent.get("/approvals/abc-123_1").text("confirm_id")
			agent.post("/confirms/"+id+"/cancel", "").want(http.StatusOK)
		}, result(`[{"type":"reject"}]`), "cancelled"},
		{"A-19b timeout", func(s *server, agent, reviewer *client) {
			s.pass(300 * time.Second)
			reviewer.post("/approvals/abc-123_1", example(reviewer.t, "s004-L081-approval")).problem(http.StatusConflict, "expired")
		}, func(t *testing.T) []string {
			return []string{example(t, "s004-L184-content_block_start"), example(t, "s004-L185-content_block_stop")}
		}, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := newServer(t)
			agent, reviewer := s.agent("executor"), s.decider("alpha", "reviewer")
			heard := agent.listen(session)
			if got := heard.header; got.Get("Cache-Control") != "no-store" || got.Get("X-Accel-Buffering") != "no" {
				t.Errorf("headers %v", got)
			}
			agent.post("/approvals", example(t, "s004-L035-content_block_start")).want(http.StatusCreated)
			frames(t, heard.take(2), request(t)...)

			tt.end(s, agent, reviewer)
			want := tt.want(t)
			got := heard.take(len(want))
			like(t, got, want...)
			first := value(t, got[0].data).(map[string]any)
			if first["message_id"] != "msg-abc" {
				t.Errorf("message_id %v", first["message_id"])
			}
			if cause := first["content_block"].(map[string]any)["cause"]; tt.cause != "" && cause != tt.cause {
				t.Errorf("cause %v, want %s", cause, tt.cause)
			}
			// What comes next is of the next request: there is nothing in between.
			agent.post("/approvals", `{"session_id":"abc-123",`+toolCall[1:]).want(http.StatusCreated)
			if next := heard.next().data; !strings.Contains(next, `"approval_request","approval_key":"abc-123_2"`) {
				t.Errorf("then comes %s", next)
			}
		})
	}
}

// TestA16_FramesOfTwoActions carries one decision for each action, those that
// were filled too.
func TestA16_FramesOfTwoActions(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, command, delta string }{
		{"A-16 each its own", `{"decisions":[{"type":"approve"},{"type":"reject","message":"no"}]}`, `[{"type":"approve"},{"type":"reject","message":"no"}]`},
		{"A-17 filled", `{"decisions":[{"type":"reject"}]}`, `[{"type":"reject"},{"type":"reject","filled":true}]`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := newServer(t)
			agent, reviewer := s.agent("executor"), s.decider("alpha", "reviewer")
			heard := agent.listen("/sessions/s/events")
			agent.post("/approvals", `{"approval_key":"s_1",`+twoCalls[1:]).want(http.StatusCreated)
			reviewer.post("/approvals/s_1", tt.command).want(http.StatusOK)
			like(t, heard.take(5),
				`{"type":"content_block_start","index":0,"content_block":{"type":"approval_request","approval_key":"s_1","actions":[{"name":"delete_table","args":{"table":"users"}},{"name":"send_mail","args":{"to":"all"}}]}}`,
				`{"type":"content_block_stop","index":0}`,
				`{"type":"content_block_start","index":1,"content_block":{"type":"approval_result","approval_key":"s_1"}}`,
				`{"type":"content_block_delta","index":1,"delta":{"decisions":`+tt.delta+`}}`,
				`{"type":"content_block_stop","index":1}`)
		})
	}
}

// TestA19a_TimeoutIsHeard also when nobody asked about this request.
func TestA19a_TimeoutIsHeard(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	agent := s.agent("executor")
	agent.post("/approvals", `{"approval_key":"s_1","timeout":1,`+toolCall[1:]).want(http.StatusCreated)
	heard := agent.listen("/sessions/s/events")
	heard.take(2)
	s.pass(time.Second)
	agent.get("/confirms?status=rejected").want(http.StatusOK) // a list settles what is due
	like(t, heard.take(2), `{"type":"content_block_start","index":1,"content_block":{"type":"approval_timeout","approval_key":"s_1"}}`, `{"type":"content_block_stop","index":1}`)
}

// TestStream_ResumeLosesNothing breaks the connection after every frame, and
// once while nobody listens.
func TestStream_ResumeLosesNothing(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	agent, reviewer := s.agent("executor"), s.decider("alpha", "reviewer")
	heard := agent.listen(session)
	agent.post("/approvals", example(t, "s004-L035-content_block_start")).want(http.StatusCreated)
	all := heard.take(1)
	heard.leave()
	reviewer.post("/approvals/abc-123_1", example(t, "s004-L081-approval")).want(http.StatusOK)
	agent.post("/approvals", `{"session_id":"abc-123",`+toolCall[1:]).want(http.StatusCreated)
	for len(all) < 7 {
		heard := agent.listen(session, "Last-Event-ID", all[len(all)-1].id)
		all = append(all, heard.next())
		heard.leave()
	}
	whole := agent.listen(session + "?last_event_id=-1").take(7)
	if diff := cmp.Diff(whole, all, cmp.AllowUnexported(message{})); diff != "" {
		t.Errorf("frames (-in one go +in pieces):\n%s", diff)
	}
	seen := map[string]bool{}
	for _, m := range all {
		if seen[m.id] {
			t.Errorf("%s comes twice", m.id)
		}
		seen[m.id] = true
	}
	last := agent.listen(session, "Last-Event-ID", all[6].id)
	agent.post("/approvals", `{"session_id":"abc-123",`+toolCall[1:]).want(http.StatusCreated)
	if next := last.next().data; !strings.Contains(next, `"abc-123_3"`) {
		t.Errorf("after the last comes %s", next)
	}
}

// TestStream_AfterARestoreBeginsAnew comes from a place that the log has not
// reached, as who listened to what a restore took back does.
func TestStream_AfterARestoreBeginsAnew(t *testing.T) {
	t.Parallel()
	agent := newServer(t).agent("executor")
	quiet := agent.listen(session, "Last-Event-ID", "1000.1")
	request := example(t, "s004-L035-content_block_start")
	agent.post("/approvals", request).want(http.StatusCreated)
	stop := `{"type":"content_block_stop","index":4}`
	like(t, quiet.take(2), request, stop)
	like(t, agent.listen(session, "Last-Event-ID", "1000.1").take(2), request, stop)
}

// TestStream_PendingIsReplayed: a new listener hears what waits for a decision,
// and nothing of what is over.
func TestStream_PendingIsReplayed(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	agent, reviewer := s.agent("executor"), s.decider("alpha", "reviewer")
	for range 3 {
		agent.post("/approvals", `{"session_id":"s",`+toolCall[1:]).want(http.StatusCreated)
	}
	reviewer.post("/approvals/s_2", `{"decisions":[{"type":"approve"}]}`).want(http.StatusOK)
	heard := reviewer.listen("/sessions/s/events")
	for i, m := range heard.take(4) {
		if want := []string{`"s_1"`, `_stop`, `"s_3"`, `_stop`}[i]; !strings.Contains(m.data, want) {
			t.Errorf("message %d is %s, want %s", i, m.data, want)
		}
	}
	reviewer.post("/approvals/s_3", `{"decisions":[{"type":"reject"}]}`).want(http.StatusOK)
	if m := heard.next(); !strings.Contains(m.data, `"approval_result","approval_key":"s_3"`) {
		t.Errorf("then comes %s", m.data)
	}
}

// TestStream_ForeignKeyHearsNothing: knowing a session's id gives no right.
func TestStream_ForeignKeyHearsNothing(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	agent, reviewer := s.agent("executor"), s.decider("alpha", "reviewer")
	s.owner("other")
	stranger := s.keyFor(domain.KeyInput{Name: "stranger", Roles: []string{"executor"}, Owner: "other"})
	agent.post("/approvals", example(t, "s004-L035-content_block_start")).want(http.StatusCreated)
	before := stranger.listen(session)
	resumed := stranger.listen(session, "Last-Event-ID", "-1")
	reviewer.post("/approvals/abc-123_1", example(t, "s004-L081-approval")).want(http.StatusOK)
	stranger.post("/approvals", `{"session_id":"abc-123",`+toolCall[1:]).want(http.StatusCreated)
	for _, heard := range []*listener{before, resumed} {
		if m := heard.next(); !strings.Contains(m.data, `"abc-123_2"`) {
			t.Errorf("a stranger hears %s before its own", m.data)
		}
	}
}

func TestStream_EndsWithItsKey(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	s.owner("other")
	agent := s.keyFor(domain.KeyInput{Name: "agent", Roles: []string{"executor", "reviewer"}, Owner: "other"})
	streams := []*listener{agent.listen("/sessions/s/events"), agent.listen("/events")}
	if err := s.RevokeKey(t.Context(), domain.System, "agent"); err != nil {
		t.Fatal(err)
	}
	for _, heard := range streams {
		heard.ended()
	}
	if s.log.Len() > 0 {
		t.Errorf("the operator is told %s", s.log)
	}
}

func TestStream_EndsWithItsServer(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	agent := s.agent("executor", "reviewer")
	streams := []*listener{agent.listen("/sessions/s/events"), agent.listen("/events")}
	s.Feed().Close()
	for _, heard := range streams {
		heard.ended()
	}
}

// TestStream_OutlivesTheDeadlines: a stream has no end that the server's
// deadlines for other requests could set.
func TestStream_OutlivesTheDeadlines(t *testing.T) {
	t.Parallel()
	s := newServer(t, func(_ *domain.Config, h *http.Server) {
		h.ReadTimeout, h.WriteTimeout, h.IdleTimeout = 1500*time.Millisecond, 1500*time.Millisecond, time.Minute
	})
	agent := s.agent("executor")
	waiting := agent.post("/approvals", `{"approval_key":"w_1",`+toolCall[1:]).want(http.StatusCreated)
	heard := agent.listen("/sessions/s/events")
	agent.get("/confirms/" + waiting.text("confirm_id") + "/outcome?wait=2").want(http.StatusOK)
	agent.post("/approvals", `{"approval_key":"s_1",`+toolCall[1:]).want(http.StatusCreated)
	heard.take(2)
}

func TestStream_MalformedPlace(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	agent := s.agent("executor", "reviewer")
	for _, place := range []string{"x", "1.", ".1", "-2", "1.-1", "1.2.3", "99999999999999999999"} {
		t.Run(place, func(t *testing.T) {
			agent.on(t).do(http.MethodGet, session, "", "Last-Event-ID", place).
				problem(http.StatusUnprocessableEntity, "invalid").fault("Last-Event-ID", "format")
			agent.on(t).get("/sessions/s/ws?last_event_id="+place).problem(http.StatusUpgradeRequired, "upgrade-required")
			agent.on(t).get("/events?after="+place).problem(http.StatusUnprocessableEntity, "invalid").fault("after", "format")
		})
	}
}

// TestWaits_HaveAnEnd: of waits and streams a key has so many, and the server.
func TestWaits_HaveAnEnd(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		limits func(*domain.Limits)
		other  int // what another key gets
	}{
		{"per key", func(l *domain.Limits) { l.Waits = 1 }, http.StatusOK},
		{"per server", func(l *domain.Limits) { l.AllWaits = 1 }, http.StatusTooManyRequests},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := newServer(t, func(c *domain.Config, _ *http.Server) {
				c.Limits = domain.DefaultLimits()
				tt.limits(&c.Limits)
			})
			agent, reviewer := s.agent("executor", "reviewer"), s.decider("alpha", "reviewer", "executor")
			agent.post("/approvals", `{"approval_key":"s_1",`+toolCall[1:]).want(http.StatusCreated)
			heard := agent.listen("/sessions/s/events")
			for _, path := range []string{"/approvals/s_1?wait=1", "/sessions/s/events", "/gate?plan_id=p&step_id=s&wait=1"} {
				refused := agent.get(path).problem(http.StatusTooManyRequests, "rate-limited")
				if refused.header.Get("Retry-After") == "" {
					t.Errorf("%s: no Retry-After", path)
				}
			}
			agent.get("/approvals/s_1").want(http.StatusOK) // does not wait
			reviewer.get("/gate?plan_id=p&step_id=s&wait=1").want(tt.other)
			heard.take(2)
		})
	}
}
