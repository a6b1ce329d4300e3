package mcp

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// behavior is what Claude Code expects. An approval always has the input to run with.
type behavior struct {
	Behavior string         `json:"behavior"`
	Input    jsontext.Value `json:"updatedInput,omitzero"`
	Message  string         `json:"message,omitzero"`
}

// permission asks about a call of a tool as a hook of Claude Code does, and uses the
// approval.
func (s *server) permission(ctx context.Context, args jsontext.Value) ([]byte, error) {
	var in struct {
		Tool  string         `json:"tool_name"`
		Input jsontext.Value `json:"input"`
		ID    string         `json:"tool_use_id"`
	}
	// A later Claude Code may say more of a call.
	if err := jsonv2.Unmarshal(args, &in); err != nil {
		return nil, fmt.Errorf("the arguments are not what the tool's schema says: %w", err)
	}
	if in.Input.Kind() != jsontext.KindBeginObject {
		return nil, errors.New("input must be an object")
	}
	body, err := jsonv2.Marshal(struct {
		Event string         `json:"hook_event_name"`
		Tool  string         `json:"tool_name"`
		Input jsontext.Value `json:"tool_input"`
		ID    string         `json:"tool_use_id,omitzero"`
	}{"PermissionRequest", in.Tool, in.Input, in.ID}, jsontext.PreserveRawStrings(true))
	if err != nil {
		return nil, err
	}
	raw, err := s.call(ctx, http.MethodPost, fmt.Sprintf("/api/v1/native/claude?wait=%.0f", permissionWait.Seconds()), body)
	if err != nil {
		return nil, err
	}
	var out struct {
		Output struct {
			Decision behavior `json:"decision"`
		} `json:"hookSpecificOutput"`
	}
	if err := jsonv2.Unmarshal(raw, &out); err != nil {
		return nil, err
	}
	decision := out.Output.Decision
	switch {
	case decision.Behavior == "allow" && decision.Input == nil:
		decision.Input = in.Input
	case decision.Behavior != "allow" && decision.Behavior != "deny":
		return nil, errors.New("the answer is neither allow nor deny")
	}
	return jsonv2.Marshal(decision, jsontext.PreserveRawStrings(true))
}

// deny refuses a permission that could not be asked for.
func deny(err error) *mcp.CallToolResult {
	text, failed := jsonv2.Marshal(behavior{Behavior: "deny", Message: words(err)}, jsontext.AllowInvalidUTF8(true))
	if failed != nil {
		return couldNotAsk(err)
	}
	return newText(string(text))
}
