package native

import (
	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

type geminiHook struct {
	Event     string         `json:"hook_event_name"`
	Session   string         `json:"session_id"`
	CWD       string         `json:"cwd"`
	Timestamp string         `json:"timestamp"`
	Tool      string         `json:"tool_name"`
	Input     jsontext.Value `json:"tool_input"`
}

type geminiAnswer struct {
	Decision string        `json:"decision"`
	Reason   string        `json:"reason,omitempty"`
	Output   *geminiOutput `json:"hookSpecificOutput,omitempty"`
}

type geminiOutput struct {
	Input jsontext.Value `json:"tool_input"`
}

// removesMember is answered to an edit that Gemini CLI cannot carry out.
const removesMember = "A reviewer approved other arguments that leave a member out. Gemini CLI would keep it, so this does not run. Call again as the reviewer wants it."

func parseGemini(in Input) (*Call, error) {
	var hook geminiHook
	if err := in.decode(&hook); err != nil {
		return nil, err
	}
	if err := oneEvent("hook_event_name", hook.Event, "BeforeTool"); err != nil {
		return nil, err
	}
	args, canEdit := arguments(hook.Input)
	action := Action{Name: hook.Tool, Args: args, ID: hook.Timestamp, Decisions: decisions(canEdit)}
	return hookCall(hook.Session, "", action, "Gemini CLI", hook.CWD, func(v Verdict) any {
		d := v.only()
		switch {
		case !d.IsApproved:
			return geminiAnswer{Decision: "deny", Reason: d.Words}
		case d.Args == nil:
			return geminiAnswer{Decision: "allow"}
		case !hasMembersOf(d.Args, d.Original):
			return geminiAnswer{Decision: "deny", Reason: removesMember}
		}
		return geminiAnswer{Decision: "allow", Output: &geminiOutput{Input: d.Args}}
	})
}

// hasMembersOf reports whether an object has every member that another has: Gemini CLI
// merges the first over the second, so that what is missing would stay.
func hasMembersOf(edited, original jsontext.Value) bool {
	var after, before map[string]jsontext.Value
	if jsonv2.Unmarshal(edited, &after) != nil || jsonv2.Unmarshal(original, &before) != nil {
		return false
	}
	for name := range before {
		if _, ok := after[name]; !ok {
			return false
		}
	}
	return true
}
