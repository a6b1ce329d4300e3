package native

import (
	"cmp"

	"github.com/go-json-experiment/json/jsontext"
)

// claudeHook is what Claude Code and Codex write to a hook.
type claudeHook struct {
	Event     string         `json:"hook_event_name"`
	Session   string         `json:"session_id"`
	Agent     string         `json:"agent_id"`
	CWD       string         `json:"cwd"`
	Tool      string         `json:"tool_name"`
	Input     jsontext.Value `json:"tool_input"`
	ToolUseID string         `json:"tool_use_id"`
	PromptID  string         `json:"prompt_id"`
	TurnID    string         `json:"turn_id"`
}

// The events of Claude Code and Codex.
const (
	preToolUse        = "PreToolUse"
	permissionRequest = "PermissionRequest"
)

// hookOutput is the answer to Claude Code and Codex.
type hookOutput struct {
	Output struct {
		Event    string         `json:"hookEventName"`
		Decision string         `json:"permissionDecision,omitempty"`
		Reason   string         `json:"permissionDecisionReason,omitempty"`
		Input    jsontext.Value `json:"updatedInput,omitzero"`
		Request  *behavior      `json:"decision,omitempty"`
	} `json:"hookSpecificOutput"`
}

type behavior struct {
	Behavior string         `json:"behavior"`
	Input    jsontext.Value `json:"updatedInput,omitzero"`
	Message  string         `json:"message,omitempty"`
}

// claudeHook reads a hook of Claude Code or Codex.
func (in Input) claudeHook() (*claudeHook, error) {
	hook := &claudeHook{}
	if err := in.decode(hook); err != nil {
		return nil, err
	}
	return hook, oneEvent("hook_event_name", hook.Event, preToolUse, permissionRequest)
}

func parseClaude(in Input) (*Call, error) {
	hook, err := in.claudeHook()
	if err != nil {
		return nil, err
	}
	event := hook.Event
	return hook.call("Claude Code", cmp.Or(hook.ToolUseID, hook.PromptID), true, func(v Verdict) any {
		if event == permissionRequest {
			return newPermission(v)
		}
		out := newPreToolUse(v)
		if v.only().IsApproved {
			out.Output.Reason = "Approved by " + v.Role
		}
		return out
	})
}

// call is what both ask about.
func (h *claudeHook) call(product, id string, canEdit bool, answer func(Verdict) any) (*Call, error) {
	args, isObject := arguments(h.Input)
	action := Action{Name: h.Tool, Args: args, ID: id, Decisions: decisions(canEdit && isObject)}
	return hookCall(h.Session, h.Agent, action, product, h.CWD, answer)
}

func newPreToolUse(v Verdict) (out hookOutput) {
	out.Output.Event = preToolUse
	d := v.only()
	if !d.IsApproved {
		out.Output.Decision, out.Output.Reason = "deny", d.Words
		return out
	}
	out.Output.Decision, out.Output.Input = "allow", d.Args
	return out
}

func newPermission(v Verdict) (out hookOutput) {
	out.Output.Event = permissionRequest
	d := v.only()
	if d.IsApproved {
		out.Output.Request = &behavior{Behavior: "allow", Input: d.Args}
	} else {
		out.Output.Request = &behavior{Behavior: "deny", Message: d.Words}
	}
	return out
}
