package web_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"countersign/domain"
	"countersign/web"
)

// journal is what a server tells of its requests.
type journal struct {
	mu      sync.Mutex
	log     bytes.Buffer
	seen    []web.Request
	waiting map[string]int
	told    chan struct{} // of each request, and of each line
}

// hear waits until so many requests are told and logged.
func (j *journal) hear(n int) {
	for range 2 * n {
		<-j.told
	}
}

func (j *journal) Write(p []byte) (int, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.told <- struct{}{}
	return j.log.Write(p)
}

func (j *journal) observed(r web.Request) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.seen = append(j.seen, r)
	j.told <- struct{}{}
}

func (j *journal) wait(kind string, by int) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.waiting[kind] += by
}

// TestWaits_OneRequestIsOneLine of the log, with the whole time, and one for the
// metrics; a connection goes on after a wait.
func TestWaits_OneRequestIsOneLine(t *testing.T) {
	t.Parallel()
	j := &journal{waiting: map[string]int{}, told: make(chan struct{}, 100)}
	w := newWorld(t, func(c *web.Config) {
		c.Logger, c.Observed, c.Waiting = slog.New(slog.NewJSONHandler(j, nil)), j.observed, j.wait
	})
	key, secret, err := w.svc.CreateKey(w.ctx, domain.System, domain.KeyInput{Name: "bot", Roles: []string{"executor"}})
	if err != nil {
		t.Fatal(err)
	}
	ref := domain.Ref{Kind: domain.KindAgent, ID: key.ID}
	confirm := w.post(ref, `{"target_type":"other","session_id":"s","actions":[{"name":"pay","args":{}}]}`)
	dial := func() (net.Conn, *bufio.Reader) {
		t.Helper()
		conn, err := net.Dial("tcp", strings.TrimPrefix(w.url, "http://"))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = conn.Close() })
		return conn, bufio.NewReader(conn)
	}
	ask := func(conn net.Conn, path string) {
		t.Helper()
		if _, err := fmt.Fprintf(conn, "GET %s HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer %s\r\n\r\n", path, secret); err != nil {
			t.Fatal(err)
		}
	}
	hear := func(in *bufio.Reader) (answer *http.Response, text string) {
		t.Helper()
		answer, err := http.ReadResponse(in, nil)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(answer.Body)
		if err != nil || answer.StatusCode != http.StatusOK {
			t.Fatalf("status %d, %s, %v", answer.StatusCode, body, err)
		}
		return answer, string(body)
	}
	poll := "/api/v1/confirms/" + confirm.ID + "/outcome"
	conn, in := dial()
	ask(conn, poll+"?wait=1")
	waited, _ := hear(in)
	ask(conn, poll)
	hear(in)
	j.hear(2)

	conn, in = dial()
	ask(conn, "/api/v1/sessions/s/events")
	answer, err := http.ReadResponse(in, nil)
	if err != nil {
		t.Fatal(err)
	}
	body := bufio.NewReader(answer.Body)
	frames := ""
	for !strings.Contains(frames, "data: ") { // the confirm
		line, err := body.ReadString('\n')
		if err != nil {
			t.Fatal(err)
		}
		frames += line
	}
	if err := w.svc.RevokeKey(w.ctx, domain.System, "bot"); err != nil {
		t.Fatal(err)
	}
	rest, err := io.ReadAll(body)
	if err != nil {
		t.Fatal(err)
	}
	frames += string(rest)
	j.hear(1)

	j.mu.Lock()
	defer j.mu.Unlock()
	if len(j.seen) != 3 || j.seen[0].Took < time.Second || j.seen[1].Took > time.Second {
		t.Errorf("observed %+v", j.seen)
	}
	for i := range j.seen {
		j.seen[i].Took = 0
	}
	get := func(route string) web.Request {
		return web.Request{Method: http.MethodGet, Route: "/api/v1" + route, Status: http.StatusOK}
	}
	if diff := cmp.Diff([]web.Request{get("/confirms/:id/outcome"), get("/confirms/:id/outcome"), get("/sessions/:session_id/events")}, j.seen); diff != "" {
		t.Errorf("observed (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(map[string]int{"long-poll": 0, "sse": 0}, j.waiting); diff != "" {
		t.Errorf("who waits at the end (-want +got):\n%s", diff)
	}
	type line struct {
		Msg, RequestID, Path, Principal string
		Status, Bytes                   int
		Took                            time.Duration
	}
	var lines []line
	for text := range strings.Lines(j.log.String()) {
		l := line{}
		if err := json.Unmarshal([]byte(strings.Replace(text, "request_id", "RequestID", 1)), &l); err != nil {
			t.Fatal(err)
		}
		lines = append(lines, l)
	}
	if len(lines) != 3 {
		t.Fatalf("the log has\n%s", &j.log)
	}
	first, stream := lines[0], lines[2]
	if first.RequestID != waited.Header.Get("X-Request-Id") || first.Took < time.Second || first.Principal != ref.String() || first.Path != poll {
		t.Errorf("the wait is logged as %+v", first)
	}
	if stream.Bytes != len(frames) || !strings.Contains(frames, "data: ") || stream.Principal != ref.String() {
		t.Errorf("the stream of %d bytes is logged as %+v", len(frames), stream)
	}
}
