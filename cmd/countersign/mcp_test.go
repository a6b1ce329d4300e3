package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// bank is the name of an MCP server for tests, which notes the calls that it runs in
// the file $RAN.
const bank = "countersign-test-bank"

func newBankServer(ran func(line string)) *mcp.Server {
	server := mcp.NewServer(&mcp.Implementation{Name: "bank", Version: "1"}, nil)
	schema := json.RawMessage(`{"type":"object","properties":{"region":{"type":"string","x-mcp-header":"Region"},"n":{"type":"number"}}}`)
	for _, name := range []string{"pay", "get_balance"} {
		server.AddTool(&mcp.Tool{Name: name, Description: "Does " + name, InputSchema: schema}, func(_ context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			line := name + " " + string(r.Params.Arguments)
			ran(line)
			return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: line}}}, nil
		})
	}
	return server
}

func bankMain() {
	server := newBankServer(func(line string) {
		file, err := os.OpenFile(os.Getenv("RAN"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
		if err == nil {
			_, err = fmt.Fprintln(file, line)
		}
		if err != nil || os.Getenv("COUNTERSIGN_KEY") != "" || strings.HasPrefix(line, `pay {"n":13`) {
			os.Exit(13)
		}
	})
	if err := server.Run(context.Background(), &mcp.StdioTransport{}); err != nil {
		os.Exit(1)
	}
	os.Exit(7)
}

// mcpProcess is the gateway in a process of its own.
type mcpProcess struct {
	*askProcess
	stdin io.WriteCloser
	lines *bufio.Scanner
	ran   string // the file of calls that ran
}

func mcpCommandLine(t *testing.T, server, key string, args ...string) *mcpProcess {
	t.Helper()
	p := &mcpProcess{askProcess: &askProcess{t: t, stdout: newTranscript(), stderr: newTranscript()}}
	p.cmd = exec.CommandContext(t.Context(), "countersign", append([]string{"mcp"}, args...)...)
	p.cmd.Dir = t.TempDir()
	p.ran = filepath.Join(p.cmd.Dir, "ran")
	p.cmd.Env = append(os.Environ(), "COUNTERSIGN_URL="+server, "COUNTERSIGN_KEY="+key, "RAN="+p.ran)
	p.cmd.Stderr = p.stderr
	return p
}

func startMCP(t *testing.T, server, key string, args ...string) *mcpProcess {
	t.Helper()
	p := mcpCommandLine(t, server, key, args...)
	out, err := p.cmd.StdoutPipe()
	if err == nil {
		p.stdin, err = p.cmd.StdinPipe()
	}
	if err == nil {
		err = p.cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	p.lines = bufio.NewScanner(out)
	return p
}

// connects speaks the beginning of the protocol.
func (p *mcpProcess) connects() {
	p.t.Helper()
	p.sends(`{"jsonrpc":"2.0","id":"i","method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"bot","version":"1"}}}`)
	p.gets(`"name":"bank"`)
	p.sends(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	p.sends(`{"jsonrpc":"2.0","id":"l","method":"tools/list"}`)
	p.gets(`"get_balance"`)
}

func (p *mcpProcess) sends(line string) {
	p.t.Helper()
	if _, err := io.WriteString(p.stdin, line+"\n"); err != nil {
		p.t.Fatal(err)
	}
}

func (p *mcpProcess) gets(want string) {
	p.t.Helper()
	if !p.lines.Scan() || !strings.Contains(p.lines.Text(), want) {
		p.t.Fatalf("got %q, want %q; standard error: %s", p.lines.Text(), want, p.stderr)
	}
}

// ranLines returns the calls that ran.
func (p *mcpProcess) ranLines() string {
	text, err := os.ReadFile(p.ran)
	if err != nil && !os.IsNotExist(err) {
		p.t.Fatal(err)
	}
	return string(text)
}

func callLine(id int, name, args string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":%q,"arguments":%s}}`, id, name, args)
}

// asked returns the id of the only pending request.
func (d *desk) asked() string {
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
		if len(list.Items) > 0 {
			return list.Items[0].ID
		}
	}
}

func rulesFile(t *testing.T, text string) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "rules.json")
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

// TestMCP_Gateway holds a real MCP server's tools with a real Countersign. The child
// does not get the key, and its exit code is the gateway's.
func TestMCP_Gateway(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	p := startMCP(t, d.base, d.key, "--config", rulesFile(t, `{"rules":[{"tool":"get_*","do":"allow"}]}`), "--", bank)
	p.connects()
	p.sends(callLine(1, "get_balance", `{"n":9007199254740993.10}`))
	p.gets(`get_balance {\"n\":9007199254740993.10}`)
	p.sends(callLine(2, "pay", `{"n":9007199254740993}`))
	id := d.asked()
	asked := d.posted(id)
	if asked.Reason != "MCP server bank, asked by bot" || asked.Actions[0].Description != "Does pay" || !strings.Contains(string(asked.ReviewConfigs[0].ArgsSchema), `"region"`) {
		t.Errorf("asked %+v", asked)
	}
	d.decides(id, object{"decisions": []object{{"type": "edit", "edited_action": object{"name": "pay", "args": json.RawMessage(`{"n":9007199254740995}`)}}}})
	p.gets(`pay {\"n\":9007199254740995}`)
	p.sends(callLine(3, "pay", `{}`))
	d.decides(d.asked(), object{"status": "rejected", "reason": "Too much"})
	p.gets(`{"jsonrpc":"2.0","id":3,"result":{"content":[{"type":"text","text":"Rejected by reviewer: Too much"}],"isError":true}}`)
	p.sends(callLine(4, "pay", `{"n":4}`))
	held := d.asked()
	if err := p.stdin.Close(); err != nil {
		t.Fatal(err)
	}
	p.ends(7, "", "")
	if got := d.status(held); got != "cancelled" {
		t.Errorf("the request is %s at the end of the input", got)
	}
	if got, want := p.ranLines(), "get_balance {\"n\":9007199254740993.10}\npay {\"n\":9007199254740995}\n"; got != want {
		t.Errorf("ran %s, want %s", got, want)
	}
}

// A signal cancels what is held; a child that dies is said to be dead.
func TestMCP_Ends(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	p := startMCP(t, d.base, d.key, "--", bank)
	p.connects()
	p.sends(callLine(1, "pay", `{"n":1}`))
	held := d.asked()
	if err := p.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	p.ends(143, "", "")
	if got := d.status(held); got != "cancelled" || p.ranLines() != "" {
		t.Errorf("the request is %s, ran %s", got, p.ranLines())
	}

	p = startMCP(t, d.base, d.key, "--", bank)
	p.connects()
	p.sends(callLine(1, "pay", `{"n":13}`))
	d.decides(d.asked(), yes)
	p.gets("The MCP server has ended before it answered.")
	p.ends(13, "", "")
}

// With Countersign away tools are listed and none runs.
func TestMCP_CannotAsk(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	for name, server := range map[string][2]string{"away": {"http://" + closedAddress(t), d.key}, "no such key": {d.base, "cs_none"}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := startMCP(t, server[0], server[1], "--wait", "1", "--", bank)
			p.connects()
			p.sends(callLine(1, "pay", `{}`))
			p.gets(`Countersign could not be asked (`)
			_ = p.stdin.Close()
			p.ends(7, "", "")
			if got := p.ranLines(); got != "" {
				t.Errorf("ran %s", got)
			}
		})
	}
}

// What cannot be understood starts nothing.
func TestMCP_DoesNotStart(t *testing.T) {
	t.Parallel()
	run := []string{"--", "touch", "ran"}
	for name, test := range map[string]struct {
		args   []string
		key    string
		code   int
		stderr string
	}{
		"bad rules":       {append([]string{"--config", rulesFile(t, `{"default":"yes"}`)}, run...), "k", 1, "must be ask, allow or deny"},
		"no rules":        {append([]string{"--config", "none.json"}, run...), "k", 1, "none.json"},
		"no key":          {run, "", 1, "there is no key"},
		"no wait":         {append([]string{"--wait", "0"}, run...), "k", 64, "--wait"},
		"two servers":     {append([]string{"--upstream", "http://127.0.0.1:1"}, run...), "k", 64, "exclude each other"},
		"a header alone":  {append([]string{"--header", "A: b"}, run...), "k", 64, "needs --upstream"},
		"no variable":     {[]string{"--upstream", "http://127.0.0.1:1", "--header", "A: $NOT_SET"}, "k", 64, "$NOT_SET is not set"},
		"no such address": {[]string{"--upstream", "file:///etc/passwd"}, "k", 64, "http or https"},
		"in the clear":    {[]string{"--upstream", "http://192.0.2.1", "--header", "A: b"}, "k", 64, "plain HTTP"},
		"no such command": {[]string{"--", "/none/such"}, "k", 1, "did not start"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := startMCP(t, "http://127.0.0.1:1", test.key, test.args...)
			p.ends(test.code, "", test.stderr)
			if _, err := os.Stat(p.ran); !os.IsNotExist(err) {
				t.Errorf("the command ran: %v", err)
			}
		})
	}
}

// clientOf is the SDK's client before the gateway.
func clientOf(t *testing.T, p *mcpProcess) *mcp.ClientSession {
	t.Helper()
	session, err := mcp.NewClient(&mcp.Implementation{Name: "sdk", Version: "1"}, nil).Connect(t.Context(), &mcp.CommandTransport{Command: p.cmd}, nil)
	if err != nil {
		t.Fatalf("%v; standard error: %s", err, p.stderr)
	}
	t.Cleanup(func() { _ = session.Close() })
	return session
}

// The SDK's own client, which speaks the newest revision, works before a child and
// before an upstream, whose headers are those of the edited arguments.
func TestMCP_Upstream(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	for name, isStateless := range map[string]bool{"sessions": false, "stateless": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := &desk{running: d.running, t: t, agent: d.agent, decider: d.decider, key: d.key}
			ran, region := make(chan string, 4), make(chan string, 4)
			bankServer := newBankServer(func(line string) { ran <- line })
			handler := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return bankServer }, &mcp.StreamableHTTPOptions{Stateless: isStateless})
			upstream := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.Header.Get("X-Token") != "secret" {
					w.WriteHeader(http.StatusUnauthorized)
					return
				}
				if value := r.Header.Get("Mcp-Param-Region"); value != "" {
					region <- value
				}
				handler.ServeHTTP(w, r)
			}))
			t.Cleanup(upstream.Close)
			p := mcpCommandLine(t, d.base, d.key, "--name", name, "--upstream", upstream.URL, "--header", "X-Token: $TOKEN")
			p.cmd.Env = append(p.cmd.Env, "TOKEN=secret")
			session := clientOf(t, p)
			tools, err := session.ListTools(t.Context(), nil)
			if err != nil || len(tools.Tools) != 2 {
				t.Fatalf("%+v, %v", tools, err)
			}
			called := make(chan *mcp.CallToolResult, 1)
			go func() {
				defer close(called)
				result, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "pay", Arguments: json.RawMessage(`{"region":"eu","n":1}`)})
				if err != nil {
					t.Errorf("%v; standard error: %s", err, p.stderr)
				}
				called <- result
			}()
			id := ""
			for id == "" || d.posted(id).Reason != "MCP server "+name+", asked by sdk" {
				id = d.asked()
			}
			d.decides(id, object{"decisions": []object{{"type": "edit", "edited_action": object{"name": "pay", "args": json.RawMessage(`{"region":"ü","n":9007199254740993}`)}}}})
			result := <-called
			if result == nil || result.IsError {
				t.Fatalf("%+v", result)
			}
			if got, want := <-ran, `pay {"region":"ü","n":9007199254740993}`; got != want {
				t.Errorf("ran %s, want %s", got, want)
			}
			if got, want := <-region, "=?base64?w7w=?="; got != want {
				t.Errorf("header %q, want %q", got, want)
			}
		})
	}
}
