package api_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// follower is a client in another language; see testdata/follow.mjs.
type follower struct {
	t       *testing.T
	command *exec.Cmd
	lines   *bufio.Scanner
	faults  *strings.Builder
}

// follow starts a client that breaks its connection after every so many frames,
// and returns once it is connected.
func (c *client) follow(transport, session string, frames, breaks int) *follower {
	c.t.Helper()
	ctx, cancel := context.WithTimeout(c.t.Context(), writeTimeout)
	c.t.Cleanup(cancel)
	command := exec.CommandContext(ctx, "node", "testdata/follow.mjs", transport, c.s.http.URL, c.key, session, strconv.Itoa(frames), strconv.Itoa(breaks))
	f := &follower{t: c.t, command: command, faults: &strings.Builder{}}
	command.Stderr = f.faults
	out, err := command.StdoutPipe()
	if err == nil {
		err = command.Start()
	}
	if err != nil {
		c.t.Fatal(err)
	}
	f.lines = bufio.NewScanner(out)
	if !f.lines.Scan() || f.lines.Text() != "connected" {
		rest, _ := io.ReadAll(out)
		c.t.Fatalf("%s: %s%s%s", transport, f.lines.Text(), rest, f.faults)
	}
	return f
}

// all gives every frame that the client has seen when it ends.
func (f *follower) all() (list []message) {
	f.t.Helper()
	for f.lines.Scan() {
		var line struct {
			ID    string
			Frame json.RawMessage
		}
		reply{t: f.t, body: f.lines.Text()}.decode(&line)
		list = append(list, message{line.ID, string(line.Frame)})
	}
	if err := f.command.Wait(); err != nil {
		f.t.Fatalf("%v: %s", err, f.faults)
	}
	return list
}

// TestA6_ClientsInAnotherLanguage: one asks and one decides, both through
// disconnects, and each sees every frame once.
func TestA6_ClientsInAnotherLanguage(t *testing.T) {
	t.Parallel()
	for _, breaks := range []int{1, 3} {
		t.Run(fmt.Sprintf("breaking after %d", breaks), func(t *testing.T) {
			t.Parallel()
			const requests, framesEach = 8, 5
			s := newServer(t)
			agent, reviewer := s.agent("executor").on(t), s.decider("alpha", "reviewer").on(t)
			asks := agent.follow("sse", "abc-123", requests*framesEach, breaks)
			decides := reviewer.follow("ws", "abc-123", requests*framesEach, breaks)
			for range requests {
				agent.post("/approvals", `{"session_id":"abc-123",`+toolCall[1:]).want(http.StatusCreated)
			}
			heard := map[string][]message{"sse": asks.all(), "ws": decides.all()}
			want := agent.listen("/sessions/abc-123/events?last_event_id=-1").take(requests * framesEach)
			for transport, got := range heard {
				if len(got) != len(want) {
					t.Fatalf("%s: %d frames, want %d", transport, len(got), len(want))
				}
				for i, m := range got {
					if m.id != want[i].id {
						t.Errorf("%s: frame %d is %s, want %s", transport, i, m.id, want[i].id)
					}
					if diff := cmp.Diff(value(t, want[i].data), value(t, m.data)); diff != "" {
						t.Errorf("%s: frame %s (-want +got):\n%s", transport, m.id, diff)
					}
				}
			}
			if got := agent.get("/confirms?session_id=abc-123&status=approved").ids("confirm_id"); len(got) != requests {
				t.Errorf("%d requests are approved, want %d", len(got), requests)
			}
		})
	}
}
