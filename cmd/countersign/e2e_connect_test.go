package main

import (
	"encoding/json"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/PuerkitoBio/goquery"

	"countersign/web/client"
)

// frameworks stand in for the packages of three frameworks: each asks once and stops
// when it got an approval. make integrations runs the real ones.
var frameworks = map[string]string{
	"node_modules/@langchain/langgraph/index.mjs": `export class Command { constructor({resume}) { this.resume = resume } }
globalThis.input = {}; globalThis.config = {}
globalThis.agent = {invoke: async with_ => {
  if (!(with_ instanceof Command)) return {__interrupt__: [{id: "963a90b1963a90b1963a90b1963a90b1", value: {actionRequests: [{name: "deploy", args: {n: 1}}],
    reviewConfigs: [{actionName: "deploy", allowedDecisions: ["approve", "reject"]}]}}]}
  const [resumed] = Object.values(with_.resume)
  console.log("ran", resumed.decisions[0].type)
  return {}
}}`,
	"node_modules/ai/index.mjs": `globalThis.model = {}; globalThis.tools = {}; globalThis.messages = []
export const generateText = async ({messages}) => {
  const answer = messages.at(-1)
  if (answer) { console.log("ran", answer.content[0].approved); return {content: [], response: {messages: []}} }
  const toolCall = {type: "tool-call", toolCallId: "c1", toolName: "deploy", input: {n: 1}}
  return {content: [{type: "tool-approval-request", approvalId: "a1", toolCall}], response: {messages: [{role: "assistant", content: []}]}}
}`,
	"node_modules/@openai/agents/index.mjs": `globalThis.agent = {}; globalThis.input = "go"
export const run = async (agent, state) => {
  if (state !== "go") return {interruptions: []}
  const item = {type: "tool_approval_item", rawItem: {type: "function_call", callId: "call_1", name: "deploy", arguments: "{\"n\":1}"}, agent: {name: "a"}, toolName: "deploy"}
  return {interruptions: [item], state: {approve: ({rawItem}) => console.log("ran", rawItem.callId), reject: () => console.log("rejected")}}
}`,
}

// Every snippet runs as it stands on the page of a new key, and the page tells of the
// key's first request.
func TestE2E_Connect(t *testing.T) {
	s := newStage(t)
	p := s.signsIn("admin")
	p.open("/confirms")
	p.submit(".empty a.button", "Connect an agent")
	p.submit("a", "create one")
	p.fill("#name", "newcomer")
	p.click(`label:has([name="role"][value="executor"])`)
	p.submit("form[action='/keys'] button")
	p.live()
	p.sees("#connected", "Waiting for the first request of newcomer")
	var text string
	p.eval("document.documentElement.outerHTML", &text)
	page, err := goquery.NewDocumentFromReader(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	judge := invoke(t, "key", "create", "judge", "--role", "reviewer", "--owner", "second", "--may-decide", "--db", s.db)
	d := &desk{running: s.running, t: t, judge: judge, agent: client.New(s.base, p.text("#secret")), decider: client.New(s.base, judge)}
	d.runs(page, "shell", "deployed")
	p.sees("#connected [data-connected]", "newcomer is connected. Its last request was just now")
	for target, want := range map[string]string{
		"claude": `"PreToolUse"`, "codex": `"PreToolUse"`, "gemini": `"BeforeTool"`, "copilot": `"preToolUse"`, "cursor": `"preToolUse"`,
		"langchain": "ran approve", "vercel": "ran true", "openai": "ran call_1", "python": "paid 100 to ACME", "curl": `"approved"`,
	} {
		d.runs(page, target, want)
	}
	if got := page.Find("[data-target]").Length(); got != 12 {
		t.Errorf("there are %d things that an agent may run in: say here what each prints", got)
	}
	d.runsConfigured(page)
}

// runsConfigured starts what the configuration of an MCP client says, with a server
// that says what it was started with and ends.
func (d *desk) runsConfigured(page *goquery.Document) {
	d.t.Helper()
	var config struct {
		Servers map[string]struct {
			Command string
			Args    []string
		} `json:"mcpServers"`
	}
	if err := json.Unmarshal([]byte(page.Find("[data-target=mcp] pre").Text()), &config); err != nil {
		d.t.Fatalf("the configuration of an MCP client: %v", err)
	}
	dir, server := d.t.TempDir(), config.Servers["files"]
	if err := os.WriteFile(filepath.Join(dir, "npx"), []byte("#!/bin/sh\necho \"$@\" >&2\n"), 0o700); err != nil {
		d.t.Fatal(err)
	}
	cmd := exec.CommandContext(d.t.Context(), server.Command, server.Args...)
	cmd.Env = append(os.Environ(), "PATH="+dir+":"+os.Getenv("PATH"), "COUNTERSIGN_URL="+d.base, "COUNTERSIGN_KEY="+d.judge)
	printed, err := cmd.CombinedOutput()
	if err != nil || !strings.Contains(string(printed), "-y @modelcontextprotocol/server-filesystem .") {
		d.t.Errorf("%s: %v\n%s", server.Command, err, printed)
	}
}

// runs runs the snippets of what an agent may run in, and approves what they ask.
func (d *desk) runs(page *goquery.Document, target, want string) {
	d.t.Helper()
	dir, printed := d.t.TempDir(), newTranscript()
	for name, text := range frameworks {
		writeDeep(d.t, filepath.Join(dir, name), text)
		writeDeep(d.t, filepath.Join(dir, filepath.Dir(name), "package.json"), `{"exports":"./index.mjs"}`)
	}
	page.Find("[data-target=" + target + "] [data-language]").Each(func(_ int, snippet *goquery.Selection) {
		kind := map[string][2]string{"sh": {"sh", ".sh"}, "js": {"node", ".mjs"}, "python": {"python3", ".py"}}[snippet.AttrOr("data-language", "")]
		file := filepath.Join(dir, "snippet"+kind[1])
		writeDeep(d.t, file, snippet.Find("pre").Text())
		// As somebody would who copied the variables first.
		cmd := exec.CommandContext(d.t.Context(), "sh", "-c", page.Find("#environment").Text()+"\nexec "+kind[0]+" "+file)
		cmd.Dir, cmd.Stdout, cmd.Stderr = dir, printed, printed
		if err := cmd.Start(); err != nil {
			d.t.Fatal(err)
		}
		ended := make(chan error, 1)
		go func() { ended <- cmd.Wait() }()
		if err := d.approvesUntil(ended); err != nil {
			d.t.Errorf("%s: %v\n%s", target, err, printed)
		}
	})
	if !strings.Contains(printed.String(), want) {
		d.t.Errorf("%s printed %q, want %q in it", target, printed, want)
	}
}

// approvesUntil approves everything that is asked until a process has ended.
func (d *desk) approvesUntil(ended <-chan error) error {
	d.t.Helper()
	look := time.NewTicker(50 * time.Millisecond)
	defer look.Stop()
	for {
		select {
		case err := <-ended:
			return err
		case <-look.C:
			var list struct {
				Items []struct {
					ID string `json:"confirm_id"`
				} `json:"items"`
			}
			if err := d.decider.Call(d.t.Context(), http.MethodGet, "/api/v1/confirms?status=pending", nil, &list); err != nil {
				d.t.Fatal(err)
			}
			for _, asked := range list.Items {
				d.decides(asked.ID, object{"status": "approved"})
			}
		}
	}
}

// writeDeep writes a file and makes the directories above it.
func writeDeep(t *testing.T, file, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}
