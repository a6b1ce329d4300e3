package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"countersign/web/gateway"
)

// toolsOf is the SDK's client of Countersign's own MCP server.
func toolsOf(t *testing.T, d *desk, key string, through mcp.Transport) *mcp.ClientSession {
	t.Helper()
	if through == nil {
		through = gateway.Upstream(d.base+"/mcp", http.Header{"Authorization": {"Bearer " + key}})
	}
	session, err := mcp.NewClient(&mcp.Implementation{Name: "sdk", Version: "1"}, nil).Connect(t.Context(), through, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = session.Close() })
	return session
}

// calls calls a tool and returns the text of its result.
func calls(t *testing.T, session *mcp.ClientSession, name, args string) (text string, isError bool) {
	t.Helper()
	result, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: name, Arguments: json.RawMessage(args)})
	if err != nil || len(result.Content) != 1 {
		t.Errorf("%s: %+v, %v", name, result, err)
		return "", false
	}
	return result.Content[0].(*mcp.TextContent).Text, result.IsError
}

// Both ways lead to the same tools, and none of them decides.
func TestMCPTools(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	for name, bridge := range map[string]bool{"over HTTP": false, "over standard input": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := &desk{running: d.running, t: t, agent: d.agent, decider: d.decider, key: d.key}
			var session *mcp.ClientSession
			if bridge {
				session = clientOf(t, mcpCommandLine(t, d.base, d.key))
			} else {
				session = toolsOf(t, d, d.key, nil)
			}
			listed, err := session.ListTools(t.Context(), nil)
			if err != nil {
				t.Fatal(err)
			}
			var names []string
			for _, tool := range listed.Tools {
				names = append(names, tool.Name)
				if a := tool.Annotations; !a.ReadOnlyHint || *a.DestructiveHint || *a.OpenWorldHint {
					t.Errorf("%s has hints %+v", tool.Name, a)
				}
			}
			if diff := cmp.Diff([]string{"cancel_approval", "permission_prompt", "request_approval", "wait_for_outcome"}, names); diff != "" {
				t.Errorf("tools (-want +got):\n%s", diff)
			}
			id := "id-" + strings.ReplaceAll(name, " ", "-")
			args := `{"id":"` + id + `","reason":"a<b","actions":[{"name":"pay","args":{"n":9007199254740993.10}}],"wait_seconds":0}`
			for range 2 { // the same again attaches
				text, isError := calls(t, session, "request_approval", args)
				if isError || !strings.Contains(text, `"status":"pending"`) || !strings.Contains(text, "Call wait_for_outcome") {
					t.Errorf("pending: %s", text)
				}
			}
			if got := d.posted(id); string(got.Actions[0].Args) != `{"n":9007199254740993.10}` || got.Reason != "a<b" || slices.Contains(got.ReviewConfigs[0].AllowedDecisions, "edit") {
				t.Errorf("asked %+v", got)
			}
			told := make(chan string, 1)
			go func() {
				text, _ := calls(t, session, "wait_for_outcome", `{"confirm_id":"`+id+`"}`)
				told <- text
			}()
			d.decides(id, yes)
			text := <-told
			if !strings.Contains(text, `"status":"approved"`) || !strings.Contains(text, `"type":"approve"`) {
				t.Errorf("approved: %s", text)
			}
			_, _ = calls(t, session, "request_approval", strings.Replace(args, id, id+"-2", 1))
			if text, isError := calls(t, session, "cancel_approval", `{"confirm_id":"`+id+`-2","reason":"no need"}`); isError || !strings.Contains(text, `"status":"cancelled"`) {
				t.Errorf("cancelled: %s", text)
			}
			for tool, args := range map[string]string{
				"wait_for_outcome": `{"confirm_id":"none"}`, "cancel_approval": `{"confirm_id":"` + id + `"}`,
				"request_approval": `{"reason":"r","actions":[],"status":"approved"}`,
			} {
				if text, isError := calls(t, session, tool, args); !isError || !strings.Contains(text, "could not be asked (") {
					t.Errorf("%s: %s", tool, text)
				}
			}
		})
	}
}

// The permission tool of Claude Code answers allow with the input to run, or deny.
func TestMCPTools_Permission(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	session := toolsOf(t, d, d.key, nil)
	ask := func(decision object) string {
		told := make(chan string, 1)
		go func() {
			text, isError := calls(t, session, "permission_prompt", `{"tool_name":"Bash","input":{"n":9007199254740993},"more":1}`)
			if isError {
				t.Errorf("is an error: %s", text)
			}
			told <- text
		}()
		d.decides(d.asked(), decision)
		return <-told
	}
	if got, want := ask(yes), `{"behavior":"allow","updatedInput":{"n":9007199254740993}}`; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	edit := object{"decisions": []object{{"type": "edit", "edited_action": object{"name": "Bash", "args": json.RawMessage(`{"n":2}`)}}}}
	if got, want := ask(edit), `{"behavior":"allow","updatedInput":{"n":2}}`; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if got, want := ask(object{"status": "rejected", "reason": "No"}), `{"behavior":"deny","message":"Rejected by reviewer: No"}`; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if text, _ := calls(t, session, "permission_prompt", `{"tool_name":"Bash","input":"x"}`); !strings.HasPrefix(text, `{"behavior":"deny","message":"Countersign could not be asked (`) {
		t.Errorf("could not ask: %s", text)
	}
	reviewer := invoke(t, "key", "create", "guest", "--role", "reviewer", "--owner", "kim", "--db", d.db)
	if text, _ := calls(t, toolsOf(t, d, reviewer, nil), "permission_prompt", `{"tool_name":"Bash","input":{}}`); !strings.HasPrefix(text, `{"behavior":"deny"`) {
		t.Errorf("without the right: %s", text)
	}
}

// Only keys get in, no page of another site does, and messages have a bound.
func TestMCPTools_Refuses(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	const list = `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`
	for name, test := range map[string]struct {
		key, method, origin, body string
		want                      int
	}{
		"an older client": {d.key, http.MethodPost, "", list, 200},
		"its own origin":  {d.key, http.MethodPost, d.base, list, 200},
		"no key":          {"", http.MethodPost, "", list, 401},
		"no such key":     {"cs_none", http.MethodPost, "", list, 401},
		"a foreign page":  {d.key, http.MethodPost, "https://evil.example", list, 403},
		"too large":       {d.key, http.MethodPost, "", list + strings.Repeat(" ", 300<<10), 413},
		"no message":      {d.key, http.MethodPost, "", `rubbish`, 400},
		"a stream":        {d.key, http.MethodGet, "", "", 405},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			status, text := postMCP(t, d, test.key, test.method, test.origin, test.body)
			if status != test.want || strings.Contains(text, "request_approval") != (test.want == 200) {
				t.Errorf("status %d, want %d: %s", status, test.want, text)
			}
		})
	}
}

// Messages that are odd are answered, and the server lives on.
func TestMCPTools_OddMessages(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	for _, rest := range []string{
		`"method":"tools/call"`, `"method":"tools/call","params":null`, `"method":"tools/call","params":[]`, `"method":"tools/call","params":{"name":"none"}`,
		`"method":"tools/call","params":{"name":"wait_for_outcome"}`, `"method":"tools/call","params":{"name":"permission_prompt","arguments":null}`,
		`"method":"tools/call","params":{"name":"request_approval","arguments":[1],"_meta":{"progressToken":{}}}`,
		`"method":"tools/call","params":{"name":"request_approval","arguments":{"reason":"a","reason":"b","actions":[]}}`,
		`"method":"subscriptions/listen","params":{"notifications":{"toolsListChanged":true}}`,
	} {
		if status, text := postMCP(t, d, d.key, http.MethodPost, "", `{"jsonrpc":"2.0","id":1,`+rest+`}`); status >= 500 || text == "" || strings.Contains(text, `"status"`) {
			t.Errorf("%s: status %d, %s", rest, status, text)
		}
		const newer = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"a","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}`
		body := `{"jsonrpc":"2.0","id":1,` + strings.Replace(rest, `"params":{`, `"params":{`+newer+`,`, 1) + `}`
		if status, text := postMCP(t, d, d.key, http.MethodPost, "", body); status >= 500 || text == "" {
			t.Errorf("%s: status %d, %s", body, status, text)
		}
	}
	if status, _ := postMCP(t, d, d.key, http.MethodPost, "", `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`); status != 200 {
		t.Errorf("status %d", status)
	}
}

// One key's waiting messages have a bound, and leave room for others.
func TestMCPTools_BoundsMemory(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	other := invoke(t, "key", "create", "other", "--role", "executor", "--db", d.db)
	large := func(n int, wait string) string {
		return fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"request_approval","arguments":{"id":"large-%d","reason":"r","wait_seconds":%s,"actions":[{"name":"a","args":{"t":"%s"}}]}}}`, n, wait, strings.Repeat("x", 200<<10))
	}
	var held sync.WaitGroup
	for n := range 2 {
		held.Go(func() { _, _ = postMCP(t, d, d.key, http.MethodPost, "", large(n, "50")) })
		d.posted(fmt.Sprintf("large-%d", n))
	}
	if status, text := postMCP(t, d, d.key, http.MethodPost, "", large(2, "0")); status != http.StatusTooManyRequests {
		t.Errorf("status %d: %.200s", status, text)
	}
	if status, text := postMCP(t, d, other, http.MethodPost, "", large(3, "0")); status != http.StatusOK || !strings.Contains(text, "pending") {
		t.Errorf("another key: status %d: %.200s", status, text)
	}
	for n := range 2 {
		d.decides(fmt.Sprintf("large-%d", n), object{"status": "approved"})
	}
	held.Wait()
}

// postMCP sends one message to Countersign's own MCP server.
func postMCP(t *testing.T, d *desk, key, method, origin, body string) (status int, text string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, d.base+"/mcp", strings.NewReader(body))
	if err != nil {
		t.Error(err)
		return 0, ""
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	if strings.Contains(body, "2026-07-28") {
		r.Header.Set("Mcp-Protocol-Version", "2026-07-28")
		name := regexp.MustCompile(`"method":"([^"]+)"`).FindStringSubmatch(body)
		r.Header.Set("Mcp-Method", name[1])
		if tool := regexp.MustCompile(`"name":"(\w+_\w+|none)"`).FindStringSubmatch(body); tool != nil {
			r.Header.Set("Mcp-Name", tool[1])
		}
	}
	if key != "" {
		r.Header.Set("Authorization", "Bearer "+key)
	}
	if origin != "" {
		r.Header.Set("Origin", origin)
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Error(err)
		return 0, ""
	}
	defer func() { _ = answer.Body.Close() }()
	all, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Error(err)
	}
	return answer.StatusCode, string(all)
}
