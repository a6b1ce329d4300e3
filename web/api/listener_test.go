package api_test

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// message is one message of a stream and its id.
type message struct{ id, data string }

// listener reads server-sent events.
type listener struct {
	t      *testing.T
	header http.Header
	lines  *bufio.Reader
	leave  func()
}

// listen opens a stream and returns once the server has said that it listens.
func (c *client) listen(path string, headers ...string) *listener {
	c.t.Helper()
	ctx, cancel := context.WithTimeout(c.t.Context(), writeTimeout)
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, c.s.http.URL+"/api/v1"+path, nil)
	if err != nil {
		c.t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+c.key)
	r.Header.Set("Accept", "text/event-stream")
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	answer, err := c.s.http.Client().Do(r)
	if err != nil {
		c.t.Fatal(err)
	}
	leave := func() {
		cancel()
		answer.Body.Close()
	}
	c.t.Cleanup(leave)
	if got := answer.Header.Get("Content-Type"); answer.StatusCode != http.StatusOK || got != "text/event-stream" {
		c.t.Fatalf("the stream answers %d, %s", answer.StatusCode, got)
	}
	return &listener{c.t, answer.Header, bufio.NewReader(answer.Body), leave}
}

// next gives the next message; a message without data is none.
func (l *listener) next() message {
	l.t.Helper()
	var m message
	for {
		line, err := l.lines.ReadString('\n')
		if err != nil {
			l.t.Fatalf("the stream ended: %v", err)
		}
		name, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), ": ")
		switch {
		case name == "id":
			m.id = value
		case name == "data":
			m.data = value
		case line == "\n" && m.data != "":
			return m
		case line != "\n" && name != "":
			l.t.Fatalf("a stream has no line %q", line)
		}
	}
}

func (l *listener) take(n int) (list []message) {
	l.t.Helper()
	for range n {
		list = append(list, l.next())
	}
	return list
}

// ended asserts that the server has ended the stream, after nothing but
// comments.
func (l *listener) ended() {
	l.t.Helper()
	rest, err := io.ReadAll(l.lines)
	if err != nil || strings.Contains(string(rest), "data:") {
		l.t.Errorf("the stream goes on with %q, %v", rest, err)
	}
}

// frames asserts that messages are frames, given as JSON.
func frames(t *testing.T, got []message, want ...string) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%d frames, want %d: %v", len(got), len(want), got)
	}
	for i := range want {
		if diff := cmp.Diff(value(t, want[i]), value(t, got[i].data)); diff != "" {
			t.Errorf("frame %d (-want +got):\n%s", i, diff)
		}
	}
}

// like asserts frames modulo the members that the documents do not have: cause,
// and message_id in a result.
func like(t *testing.T, got []message, want ...string) {
	t.Helper()
	plain := make([]message, len(got))
	for i, m := range got {
		frame := value(t, m.data).(map[string]any)
		if block, ok := frame["content_block"].(map[string]any); ok && block["type"] != "approval_request" {
			delete(block, "cause")
			delete(frame, "message_id")
		}
		text, err := json.Marshal(frame)
		if err != nil {
			t.Fatal(err)
		}
		plain[i] = message{m.id, string(text)}
	}
	frames(t, plain, want...)
}

func value(t *testing.T, text string) (v any) {
	t.Helper()
	dec := json.NewDecoder(strings.NewReader(text))
	dec.UseNumber()
	if err := dec.Decode(&v); err != nil {
		t.Fatalf("%v in %s", err, text)
	}
	return v
}
