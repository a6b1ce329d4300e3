package native

import (
	"cmp"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

type cursorHook struct {
	Event        string         `json:"hook_event_name"`
	Conversation string         `json:"conversation_id"`
	Generation   string         `json:"generation_id"`
	CWD          string         `json:"cwd"`
	Tool         string         `json:"tool_name"`
	Input        jsontext.Value `json:"tool_input"`
	ToolUseID    string         `json:"tool_use_id"`
	Command      string         `json:"command"`
}

type cursorAnswer struct {
	Permission   string         `json:"permission"`
	Input        jsontext.Value `json:"updated_input,omitzero"`
	UserMessage  string         `json:"user_message,omitempty"`
	AgentMessage string         `json:"agent_message,omitempty"`
}

// shellCommand is what Cursor says of a command line, as arguments.
type shellCommand struct {
	Command string `json:"command"`
	CWD     string `json:"cwd,omitempty"`
}

// parseCursor reads a hook of Cursor. Only the hook before every tool takes edited
// arguments.
func parseCursor(in Input) (*Call, error) {
	var hook cursorHook
	if err := in.decode(&hook); err != nil {
		return nil, err
	}
	const everyTool, shell, mcp = "preToolUse", "beforeShellExecution", "beforeMCPExecution"
	if err := oneEvent("hook_event_name", hook.Event, everyTool, shell, mcp); err != nil {
		return nil, err
	}
	switch {
	case hook.Event == shell:
		args, err := jsonv2.Marshal(shellCommand{hook.Command, hook.CWD})
		if err != nil {
			return nil, invalid("command", "type_error", "is not a text")
		}
		hook.Tool, hook.Input = "Shell", args
	case hook.Event == mcp && hook.Input.Kind() == '"':
		var text string
		if err := decode(hook.Input, "tool_input", &text); err != nil {
			return nil, err
		}
		args, err := parseArguments(text, "tool_input", in.Limits)
		if err != nil {
			return nil, err
		}
		hook.Input = args
	}
	args, isObject := arguments(hook.Input)
	action := Action{Name: hook.Tool, Args: args, ID: cmp.Or(hook.ToolUseID, hook.Generation), Decisions: decisions(isObject && hook.Event == everyTool)}
	return hookCall(hook.Conversation, "", action, "Cursor", hook.CWD, func(v Verdict) any {
		d := v.only()
		if !d.IsApproved {
			return cursorAnswer{Permission: "deny", UserMessage: d.Words, AgentMessage: d.Words}
		}
		return cursorAnswer{Permission: "allow", Input: d.Args}
	})
}
