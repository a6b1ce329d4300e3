package web_test

import (
	"bufio"
	"context"
	"io"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"countersign/domain"
	"countersign/web"
)

// stream is an open live stream.
type stream struct {
	t     *testing.T
	lines *bufio.Scanner
	close func()
}

func (b *browser) live(after string) *stream {
	b.t.Helper()
	ctx, cancel := context.WithCancel(b.ctx)
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, b.url+"/live", nil)
	if err != nil {
		b.t.Fatal(err)
	}
	if after != "" {
		r.Header.Set("Last-Event-ID", after)
	}
	response, err := b.client.Do(r)
	if err != nil {
		b.t.Fatal(err)
	}
	if response.StatusCode != http.StatusOK || response.Header.Get("Content-Type") != "text/event-stream" || response.Header.Get("X-Accel-Buffering") != "no" {
		b.t.Errorf("status %d, header %v", response.StatusCode, response.Header)
	}
	s := &stream{t: b.t, lines: bufio.NewScanner(response.Body)}
	s.close = func() { cancel(); response.Body.Close() }
	b.t.Cleanup(s.close)
	return s
}

// frame reads up to the next blank line.
func (s *stream) frame() (lines []string) {
	s.t.Helper()
	for s.lines.Scan() {
		if s.lines.Text() == "" {
			return lines
		}
		lines = append(lines, s.lines.Text())
	}
	return lines
}

func TestLiveSignalsWithoutContent(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	agent := w.asker()
	s := w.user("reviewer", "reviewer").live("")
	if diff := cmp.Diff([]string{": connected"}, s.frame()); diff != "" {
		t.Errorf("first frame (-want +got):\n%s", diff)
	}
	w.post(agent, trade)
	seq := strconv.FormatInt(w.head()-1, 10)
	if diff := cmp.Diff([]string{"id: " + seq, "event: confirm", "data: " + seq}, s.frame()); diff != "" {
		t.Errorf("signal (-want +got):\n%s", diff)
	}
}

func TestLiveCatchesUp(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	agent := w.asker()
	b := w.user("reviewer", "reviewer")
	behind := strconv.FormatInt(w.head()-1, 10)
	w.post(agent, trade)
	s := b.live(behind)
	var events []string
	for range 6 {
		for _, line := range s.frame() {
			if name, ok := strings.CutPrefix(line, "event: "); ok {
				events = append(events, name)
			}
		}
	}
	if diff := cmp.Diff([]string{"confirm", "plan", "context", "role", "user", "key"}, events); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
}

func TestLiveEndsWithTheSession(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b := w.user("reviewer", "reviewer")
	s := b.live("")
	s.frame()
	if err := w.svc.DisableUser(w.ctx, domain.System, b.ref.ID); err != nil {
		t.Fatal(err)
	}
	if lines := s.frame(); lines != nil {
		t.Errorf("after the session ended: %v", lines)
	}
	b.want(b.get("/live"), http.StatusUnauthorized)
}

func TestLiveEndsWithTheServer(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	s := w.user("reviewer", "reviewer").live("")
	s.frame()
	w.feed.Close()
	if lines := s.frame(); lines != nil {
		t.Errorf("after the server stopped: %v", lines)
	}
}

// TestB3_WhateverIsSentEndsThePageStream, whose place is given back.
func TestB3_WhateverIsSentEndsThePageStream(t *testing.T) {
	t.Parallel()
	waiting := make(chan int, 10)
	w := newWorld(t, func(c *web.Config) { c.Waiting = func(_ string, by int) { waiting <- by } })
	b := w.user("reviewer", "reviewer")
	address, err := url.Parse(w.url)
	if err != nil {
		t.Fatal(err)
	}
	conn, err := net.Dial("tcp", address.Host)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, w.url+"/live", nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, cookie := range b.client.Jar.Cookies(address) {
		request.AddCookie(cookie)
	}
	if err := request.Write(conn); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewReader(conn)
	for line := ""; line != ": connected\n"; {
		if line, err = lines.ReadString('\n'); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := conn.Write([]byte("x")); err != nil {
		t.Fatal(err)
	}
	if by := []int{<-waiting, <-waiting}; !slices.Equal(by, []int{1, -1}) {
		t.Errorf("who waits changes by %v", by)
	}
	if rest, _ := io.ReadAll(lines); strings.Contains(string(rest), "event") {
		t.Errorf("the stream goes on with %q", rest)
	}
}
