package main

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"syscall"
	"testing"
	"time"

	"countersign/web/client"
)

// toolCallOf is what a harness writes to its hook.
var toolCallOf = map[string]string{
	"claude":  `{"session_id":"s","cwd":"/srv","hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"make"},"tool_use_id":"ID"}`,
	"codex":   `{"session_id":"s","cwd":"/srv","hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"make"},"tool_use_id":"ID"}`,
	"gemini":  `{"session_id":"s","cwd":"/srv","hook_event_name":"BeforeTool","timestamp":"ID","tool_name":"Bash","tool_input":{"command":"make"}}`,
	"copilot": `{"sessionId":"s","cwd":"/srv","toolName":"Bash","toolArgs":"{\"command\":\"make\"}"}`,
	"cursor":  `{"conversation_id":"s","hook_event_name":"beforeShellExecution","generation_id":"ID","command":"make"}`,
}

func startHook(t *testing.T, server, key, input string, args ...string) *askProcess {
	t.Helper()
	return startCommand(t, server, key, input, append([]string{"hook"}, args...)...)
}

// pendingID returns the id of the request that one hook waits for.
func (d *desk) pendingID() string {
	d.t.Helper()
	for {
		var list struct {
			Items []struct {
				ID string `json:"confirm_id"`
			} `json:"items"`
		}
		if err := d.agent.Call(d.t.Context(), http.MethodGet, "/api/v1/confirms?status=pending", nil, &list); err != nil {
			d.t.Fatal(err)
		}
		if len(list.Items) == 1 {
			return list.Items[0].ID
		}
	}
}

func TestHook_EachFormat(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	for format, want := range map[string]struct{ approved, rejected string }{
		"claude":  {`"permissionDecision":"allow"`, `"permissionDecision":"deny","permissionDecisionReason":"Rejected by reviewer: no"`},
		"codex":   {"{}\n", `"permissionDecision":"deny","permissionDecisionReason":"Rejected by reviewer: no"`},
		"gemini":  {`{"decision":"allow"}`, `{"decision":"deny","reason":"Rejected by reviewer: no"}`},
		"copilot": {`{"permissionDecision":"allow"}`, `{"permissionDecision":"deny","permissionDecisionReason":"Rejected by reviewer: no"}`},
		"cursor":  {`{"permission":"allow"}`, `{"permission":"deny","user_message":"Rejected by reviewer: no"`},
	} {
		for i, decision := range []object{yes, {"status": "rejected", "reason": "no"}} {
			hook := startHook(t, d.base, d.key, strings.Replace(toolCallOf[format], "ID", fmt.Sprint("t", i), 1), format)
			d.decides(d.pendingID(), decision)
			if err := hook.cmd.Wait(); err != nil || !strings.Contains(hook.stdout.String(), []string{want.approved, want.rejected}[i]) {
				t.Errorf("%s: %v, %q, %q", format, err, hook.stdout, hook.stderr)
			}
		}
	}
}

// Undecided at the end of the wait, the answer blocks. The next call goes on waiting
// for the same request.
func TestHook_Undecided(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	first := startHook(t, d.base, d.key, toolCallOf["claude"], "claude", "--wait", "1")
	if err := first.cmd.Wait(); err != nil || !strings.Contains(first.stdout.String(), `"permissionDecision":"deny","permissionDecisionReason":"Not decided yet`) {
		t.Errorf("%v, %q, %q", err, first.stdout, first.stderr)
	}
	id := d.pendingID()
	second := startHook(t, d.base, d.key, toolCallOf["claude"], "claude")
	d.decides(id, yes)
	if err := second.cmd.Wait(); err != nil || !strings.Contains(second.stdout.String(), `"allow"`) {
		t.Errorf("%v, %q, %q", err, second.stdout, second.stderr)
	}
}

// TestHook_FailsClosed: whatever goes wrong, the exit code is the one that blocks,
// standard output is empty and standard error is not.
func TestHook_FailsClosed(t *testing.T) {
	t.Parallel()
	answers := func(status int, body string, headers ...string) string {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			for i := 0; i+1 < len(headers); i += 2 {
				w.Header().Set(headers[i], headers[i+1])
			}
			w.WriteHeader(status)
			_, _ = io.WriteString(w, body)
		}))
		t.Cleanup(server.Close)
		return server.URL
	}
	silent, err := net.Listen("tcp", "127.0.0.1:0") // takes connections and says nothing
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = silent.Close() })
	const allow = `{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow"}}`
	const status, approved = "Countersign-Status", "approved"
	for name, tt := range map[string]struct {
		server, input string
		args          []string
	}{
		"the server is away":           {"http://127.0.0.1:1", toolCallOf["claude"], []string{"claude", "--wait", "1"}},
		"it says nothing":              {"http://" + silent.Addr().String(), toolCallOf["claude"], []string{"claude", "--wait", "1"}},
		"500":                          {answers(500, allow, status, approved), toolCallOf["claude"], []string{"claude", "--wait", "1"}},
		"503 all the time":             {answers(503, allow, status, approved), toolCallOf["claude"], []string{"claude", "--wait", "1"}},
		"401":                          {answers(401, `{"status":401}`), toolCallOf["claude"], []string{"claude", "--wait", "1"}},
		"an answer without its header": {answers(200, allow), toolCallOf["claude"], []string{"claude", "--wait", "1"}},
		"rubbish":                      {answers(200, "<html>", status, approved), toolCallOf["claude"], []string{"claude", "--wait", "1"}},
		"a list":                       {answers(200, "[]", status, approved), toolCallOf["claude"], []string{"claude", "--wait", "1"}},
		"nothing":                      {answers(200, "", status, approved), toolCallOf["claude"], []string{"claude", "--wait", "1"}},
		"a redirect":                   {answers(302, "", "Location", "http://127.0.0.1:1/"), toolCallOf["claude"], []string{"claude", "--wait", "1"}},
		"no input":                     {answers(200, allow, status, approved), "", []string{"claude"}},
		"input that is no JSON":        {answers(200, allow, status, approved), "make", []string{"claude"}},
		"too much input":               {answers(200, allow, status, approved), `{"x":"` + strings.Repeat("x", maxHookInput) + `"}`, []string{"claude"}},
		"an unknown format":            {answers(200, allow, status, approved), toolCallOf["claude"], []string{"fax"}},
		"a format of a framework":      {answers(200, `{}`, status, approved), toolCallOf["claude"], []string{"vercel"}},
		"no format":                    {answers(200, allow, status, approved), toolCallOf["claude"], nil},
		"a wrong flag":                 {answers(200, allow, status, approved), toolCallOf["claude"], []string{"claude", "--fast"}},
		"plain HTTP to elsewhere":      {"http://192.0.2.1", toolCallOf["claude"], []string{"claude"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			hook := startHook(t, tt.server, "cs_key", tt.input, tt.args...)
			hook.blocks()
		})
	}
	t.Run("no key", func(t *testing.T) {
		t.Parallel()
		startHook(t, answers(200, allow, status, approved), "", toolCallOf["claude"], "claude").blocks()
	})
}

// blocks asserts that the harness does not run the tool.
func (a *askProcess) blocks() {
	a.t.Helper()
	a.ends(int(exitBlocked), "", "ountersign")
	if text := a.stderr.String(); strings.Count(text, "\n") != 1 {
		a.t.Errorf("standard error has not one line: %q", text)
	}
}

// Told to end, or with the server killed while it waits, it blocks.
func TestHook_EndsWhileItWaits(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	hook := startHook(t, d.base, d.key, toolCallOf["claude"], "claude")
	d.pendingID()
	if err := hook.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	hook.blocks()

	file := tempDB(t)
	asker, _ := furnished(t, file)
	p := spawn(t, file)
	waiting := startHook(t, p.base, asker, toolCallOf["claude"], "claude", "--wait", "6")
	agent := client.New(p.base, asker)
	for found := false; !found; {
		var list struct{ Items []struct{} }
		if err := agent.Call(t.Context(), http.MethodGet, "/api/v1/confirms?status=pending", nil, &list); err != nil {
			t.Fatal(err)
		}
		found = len(list.Items) == 1
	}
	if err := p.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	waiting.blocks()
	if took := time.Since(began); took > 20*time.Second {
		t.Errorf("it took %v", took)
	}
}
