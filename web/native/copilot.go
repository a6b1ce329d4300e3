package native

import (
	"cmp"

	"github.com/go-json-experiment/json/jsontext"
)

// copilotHook is what Copilot writes to a hook: in its own spelling, or in that of
// Claude Code when it is configured so.
type copilotHook struct {
	claudeHook
	OwnSession string         `json:"sessionId"`
	OwnTool    string         `json:"toolName"`
	OwnInput   jsontext.Value `json:"toolArgs"`
}

type copilotAnswer struct {
	Decision string         `json:"permissionDecision"`
	Reason   string         `json:"permissionDecisionReason,omitempty"`
	Args     jsontext.Value `json:"modifiedArgs,omitzero"`
}

func parseCopilot(in Input) (*Call, error) {
	var hook copilotHook
	if err := in.decode(&hook); err != nil {
		return nil, err
	}
	if err := oneEvent("hook_event_name", cmp.Or(hook.Event, "preToolUse"), "preToolUse", preToolUse); err != nil {
		return nil, err
	}
	if hook.OwnTool != "" {
		hook.Tool, hook.Input = hook.OwnTool, hook.OwnInput
	}
	hook.Session = cmp.Or(hook.OwnSession, hook.Session)
	if hook.Input.Kind() == '"' {
		var text string
		if err := decode(hook.Input, "toolArgs", &text); err != nil {
			return nil, err
		}
		args, err := parseArguments(text, "toolArgs", in.Limits)
		if err != nil {
			return nil, err
		}
		hook.Input = args
	}
	return hook.call("Copilot", hook.ToolUseID, true, func(v Verdict) any {
		if d := v.only(); !d.IsApproved {
			return copilotAnswer{Decision: "deny", Reason: d.Words}
		} else {
			return copilotAnswer{Decision: "allow", Args: d.Args}
		}
	})
}
