package gateway

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// firstNewVersion is the first revision whose results say that they are complete.
const firstNewVersion = "2026-07-28"

// toAgent sends a message of the gateway itself. When the agent is gone, reading says
// so too.
func (g *gateway) toAgent(m jsonrpc.Message) { _ = g.agent.Write(context.WithoutCancel(g.ctx), m) }

// fail answers a request with an error of the protocol.
func (g *gateway) fail(id jsonrpc.ID, code int64, message string) {
	g.toAgent(&jsonrpc.Response{ID: id, Error: &jsonrpc.Error{Code: code, Message: message}})
}

// refuse tells the model why a call does not run. An error of the protocol would be
// hidden from it by many hosts.
func (g *gateway) refuse(c *call, words string) {
	g.toAgent(&jsonrpc.Response{ID: c.id, Result: refusal(words, c.params.version)})
}

func refusal(words, version string) json.RawMessage {
	type text struct {
		Type string `json:"type"`
		Text string `json:"text"`
	}
	result := struct {
		Type    string `json:"resultType,omitempty"`
		Content []text `json:"content"`
		IsError bool   `json:"isError"`
	}{Content: []text{{"text", words}}, IsError: true}
	if version >= firstNewVersion {
		result.Type = "complete"
	}
	raw, err := json.Marshal(result)
	if err != nil {
		panic(err) // texts are always valid
	}
	return raw
}

// unreachable answers a request that did not reach the MCP server.
func (g *gateway) unreachable(r *jsonrpc.Request, err error) {
	var refused *jsonrpc.Error
	switch {
	case errors.As(err, &refused):
		g.toAgent(&jsonrpc.Response{ID: r.ID, Error: refused})
	case r.Method == "tools/call":
		g.toAgent(&jsonrpc.Response{ID: r.ID, Result: refusal("The MCP server gave no answer ("+err.Error()+").", versionOf(r))})
	default:
		g.fail(r.ID, jsonrpc.CodeInternalError, "The MCP server gave no answer: "+err.Error())
	}
}

func versionOf(r *jsonrpc.Request) string {
	if p, err := parseParams(r.Params); err == nil {
		return p.version
	}
	return ""
}

// answerAll answers everything that is open when the MCP server has ended.
func (g *gateway) answerAll() {
	g.mu.Lock()
	held, open := g.held, g.passed
	g.held, g.passed = map[jsonrpc.ID]*call{}, map[jsonrpc.ID]*passed{}
	g.mu.Unlock()
	for _, c := range held {
		c.stop()
		g.refuse(c, "The MCP server has ended, so this does not run.")
	}
	for id, p := range open {
		if p.call != nil {
			g.refuse(p.call, "The MCP server has ended before it answered. Part of the call may have run.")
		} else {
			g.fail(id, jsonrpc.CodeInternalError, "The MCP server has ended.")
		}
	}
}
