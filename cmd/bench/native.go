package main

import (
	"bytes"
	"context"
	"crypto/rand"
	"fmt"
	"net/http"

	"countersign/cmd/bench/load"
)

// measureNative compares the same call as a hook of a coding agent sends it, and as a
// request. Each is another call, or it would attach to the one before.
func measureNative(ctx context.Context, r *round) {
	const n = 16
	r.onFresh(ctx, func(s *server) []load.Confirm {
		r.runClients(ctx, "calls of hooks", n, s.calls("/api/v1/native/claude?wait=0", http.StatusOK,
			`{"session_id":"s","cwd":"/srv","hook_event_name":"PreToolUse","tool_name":"Bash","tool_use_id":"ID","tool_input":{"command":"make","manifest":"MANIFEST","n":"ID"}}`))
		return nil
	})
	r.onFresh(ctx, func(s *server) []load.Confirm {
		r.runClients(ctx, "the same calls as requests", n, s.calls("/api/v1/confirms", http.StatusCreated,
			`{"target_type":"other","session_id":"s","reason":"Claude Code asks to use Bash in /srv","actions":[{"name":"Bash","tool_use_id":"ID","args":{"command":"make","manifest":"MANIFEST","n":"ID"}}]}`))
		return nil
	})
}

// calls makes the step of a client who posts a body in which ID is replaced each time.
func (s *server) calls(path string, want int, body string) func(int) load.Step {
	manifest := fmt.Appendf(nil, "%x", make([]byte, 576))
	return func(i int) load.Step {
		client, key := &load.Client{Address: s.address}, load.Bearer(s.Agents[i%len(s.Agents)])
		return func(ctx context.Context, _ *load.Result) error {
			text := bytes.ReplaceAll([]byte(body), []byte("MANIFEST"), manifest)
			text = bytes.ReplaceAll(text, []byte("ID"), []byte(rand.Text()))
			_, err := client.Do(ctx, load.Post(path, text, key), want)
			return err
		}
	}
}
