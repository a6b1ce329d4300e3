package native

import (
	"fmt"
	"slices"

	"github.com/go-json-experiment/json/jsontext"
)

// contentPart is a part of a message of the AI SDK, or a message with parts.
type contentPart struct {
	Type       string         `json:"type"`
	Role       string         `json:"role"`
	Content    jsontext.Value `json:"content"`
	ApprovalID string         `json:"approvalId"`
	ToolCallID string         `json:"toolCallId"`
	ToolName   string         `json:"toolName"`
	Input      jsontext.Value `json:"input"`
	ToolCall   *contentPart   `json:"toolCall"`
}

type vercelMessage struct {
	Role    string           `json:"role"`
	Content []vercelResponse `json:"content"`
}

type vercelResponse struct {
	Type       string `json:"type"`
	ApprovalID string `json:"approvalId"`
	Approved   bool   `json:"approved"`
	Reason     string `json:"reason,omitempty"`
}

// parseVercel reads the content of a result of the AI SDK, or its messages. The
// signature of an approval covers the arguments, so that they cannot be edited.
func parseVercel(in Input) (*Call, error) {
	var list []contentPart
	if err := in.decode(&list); err != nil {
		return nil, err
	}
	var parts []contentPart
	for i, p := range list {
		switch {
		case p.Role == "":
			parts = append(parts, p)
		case p.Content.Kind() == '[':
			var inside []contentPart
			if err := decode(p.Content, fmt.Sprintf("[%d].content", i), &inside); err != nil {
				return nil, err
			}
			parts = append(parts, inside...)
		}
	}
	calls, answered := map[string]*contentPart{}, map[string]bool{}
	for i, p := range parts {
		switch p.Type {
		case "tool-call":
			calls[p.ToolCallID] = &parts[i]
		case "tool-approval-response":
			answered[p.ApprovalID] = true
		}
	}
	call := &Call{}
	var ids []string
	for _, p := range parts {
		if p.Type != "tool-approval-request" || answered[p.ApprovalID] {
			continue
		}
		tool := p.ToolCall
		if tool == nil {
			tool = calls[p.ToolCallID]
		}
		if p.ApprovalID == "" || tool == nil {
			return nil, invalid("toolCall", "required", "every approval request needs its approvalId, and its call in it or beside it")
		}
		args, _ := arguments(tool.Input)
		call.Actions = append(call.Actions, Action{Name: tool.ToolName, Args: args, ID: p.ApprovalID, Decisions: approveOnly})
		ids = append(ids, p.ApprovalID)
	}
	if len(ids) == 0 {
		return nil, invalid("", "min_items", "there is no tool-approval-request without a response")
	}
	call.Identity = slices.Sorted(slices.Values(ids))
	call.Reason = "The AI SDK asks to call " + toolList(call.Actions)
	call.answer = func(v Verdict) any {
		out := vercelMessage{Role: "tool", Content: make([]vercelResponse, len(ids))}
		for i, id := range ids {
			d := v.at(i)
			out.Content[i] = vercelResponse{Type: "tool-approval-response", ApprovalID: id, Approved: d.IsApproved, Reason: d.Words}
		}
		return out
	}
	return call, nil
}

// at is the decision on one of several actions.
func (v Verdict) at(i int) Decision {
	if i >= len(v.Actions) {
		return Decision{Words: v.Words}
	}
	return v.Actions[i]
}

// toolList names the tools of a call.
func toolList(actions []Action) string {
	if len(actions) == 1 {
		return actions[0].Name
	}
	return fmt.Sprintf("%d tools", len(actions))
}
