package web

import (
	"net/http"
	"net/url"

	"countersign/domain"
	"countersign/views"
)

const connectPath = "/connect"

// connectURL returns the address of the Connect page that shows whether a key was used.
func connectURL(key string) string { return withQuery(connectPath, url.Values{"key": {key}}.Encode()) }

// connect shows how what an agent runs in asks here.
func (s *Server) connect(v *visit) error {
	if !v.user.Can(domain.KeyModify) {
		return &domain.Error{Code: domain.CodeMissingCapability, Capability: domain.KeyModify, Message: "You need the capability key.modify to connect an agent."}
	}
	view := newConnectView(s.base.String())
	if id := v.QueryParam("key"); id != "" {
		keys, _, err := s.svc.KeyRows(v.ctx(), v.ref(), domain.KeyFilter{Name: id}, domain.Page{})
		if err != nil {
			return err
		}
		for _, key := range keys {
			if key.ID == id {
				view.Key = newConnectKey(key.ID, key.Name)
				view.Key.UsedAt = views.Ago(key.UsedAt, s.svc.Now())
			}
		}
	}
	return s.show(v, http.StatusOK, "Connect an agent", views.ConnectPage(view))
}

func newConnectKey(id, name string) *views.ConnectKey {
	return &views.ConnectKey{Self: connectURL(id), Name: name}
}

// newConnectView has what an agent may run in. A test runs each snippet as it stands.
func newConnectView(base string) views.ConnectView {
	return views.ConnectView{BaseURL: base, KeysURL: keysPath, Targets: []views.ConnectTarget{
		hookTarget("claude", "Claude Code", ".claude/settings.json"),
		hookTarget("codex", "Codex", ".codex/hooks.json"),
		hookTarget("gemini", "Gemini CLI", ".gemini/settings.json"),
		hookTarget("copilot", "GitHub Copilot", ".github/hooks/countersign.json"),
		hookTarget("cursor", "Cursor", ".cursor/hooks.json"),
		{ID: "langchain", Label: "LangChain", About: "Requests of its human-in-the-loop middleware are decided here.", Snippets: []views.Snippet{getModule, {Label: "Around the agent", Language: "js", Code: `import {Command} from "@langchain/langgraph"
import {Countersign} from "./countersign.mjs"

const cs = new Countersign({url: process.env.COUNTERSIGN_URL, key: process.env.COUNTERSIGN_KEY})
let result = await agent.invoke(input, config)
while (result.__interrupt__) {
  const resume = await cs.native("langchain", result.__interrupt__)
  result = await agent.invoke(new Command({resume}), config)
}`}}},
		{ID: "vercel", Label: "Vercel AI SDK", About: "For tools with needsApproval.", Snippets: []views.Snippet{getModule, {Label: "Around generateText", Language: "js", Code: `import {generateText} from "ai"
import {Countersign} from "./countersign.mjs"

const cs = new Countersign({url: process.env.COUNTERSIGN_URL, key: process.env.COUNTERSIGN_KEY})
let result = await generateText({model, tools, messages})
while (result.content.some(part => part.type === "tool-approval-request")) {
  messages.push(...result.response.messages, await cs.native("vercel", result.content))
  result = await generateText({model, tools, messages})
}`}}},
		{ID: "openai", Label: "OpenAI Agents SDK", About: "For tools with needsApproval.", Snippets: []views.Snippet{getModule, {Label: "Around the run", Language: "js", Code: `import {run} from "@openai/agents"
import {Countersign} from "./countersign.mjs"

const cs = new Countersign({url: process.env.COUNTERSIGN_URL, key: process.env.COUNTERSIGN_KEY})
let result = await run(agent, input)
while (result.interruptions.length > 0) {
  for (const d of await cs.native("openai", result.interruptions)) {
    const item = result.interruptions.find(({rawItem}) => rawItem.callId === d.callId)
    if (d.approve) result.state.approve(item)
    else result.state.reject(item, {message: d.message})
  }
  result = await run(agent, result.state)
}`}}},
		{ID: "mcp", Label: "Any MCP client", About: "A gateway before an MCP server. Its tools run only when they are approved. Who can edit this configuration can go around it.",
			Snippets: []views.Snippet{{Label: "In the client's configuration", Language: "json", Code: `{
  "mcpServers": {
    "files": {
      "command": "countersign",
      "args": ["mcp", "--", "npx", "-y", "@modelcontextprotocol/server-filesystem", "."]
    }
  }
}`}}},
		{ID: "python", Label: "Python", About: "A function runs only when it is approved, with the approved arguments.", Snippets: []views.Snippet{
			{Label: "Get the client", Language: "sh", Code: `curl -fsSO "$COUNTERSIGN_URL/clients/countersign.py"`},
			{Label: "Guard a function", Language: "python", Code: `import os
from countersign import Countersign

cs = Countersign(os.environ["COUNTERSIGN_URL"], os.environ["COUNTERSIGN_KEY"])

@cs.guard(reason="Invoice 17")
def pay(amount, to):
    print("paid", amount, "to", to)

pay(amount=100, to="ACME")`}}},
		{ID: "shell", Label: "Shell or CI", About: "The command runs only when it is approved.", Snippets: []views.Snippet{
			{Label: "Ask, then run", Language: "sh", Code: `countersign ask --reason "Trying Countersign" -- echo deployed`}}},
		{ID: "curl", Label: "curl", About: "Posts a request and waits for its decision.", Snippets: []views.Snippet{{Label: "Ask and wait", Language: "sh", Code: `curl "$COUNTERSIGN_URL/api/v1/confirms?wait=50" \
  -H "Authorization: Bearer $COUNTERSIGN_KEY" \
  -H 'Content-Type: application/json' \
  -d '{"target_type":"other","reason":"Trying Countersign",
       "actions":[{"name":"send_mail","args":{"to":"team@example.com"}}]}'`}}},
	}}
}

// getModule fetches the client for JavaScript from this server.
var getModule = views.Snippet{Label: "Get the client", Language: "sh", Code: `curl -fsSO "$COUNTERSIGN_URL/clients/countersign.mjs"`}

// hookTarget is a coding agent that asks a hook before it runs a tool.
func hookTarget(format, label, file string) views.ConnectTarget {
	return views.ConnectTarget{
		ID: format, Label: label, About: "It asks here before it runs a tool. Put what this prints into " + file + ".",
		Snippets: []views.Snippet{{Label: "Print its settings", Language: "sh", Code: "countersign hook config " + format}},
	}
}
