package native

import "cmp"

// parseCodex reads a hook of Codex. Its answers are closed: a member that it does not
// know makes it run the tool, and so does an allow without changed arguments. There an
// empty object is the approval.
func parseCodex(in Input) (*Call, error) {
	hook, err := in.claudeHook()
	if err != nil {
		return nil, err
	}
	event := hook.Event
	return hook.call("Codex", cmp.Or(hook.ToolUseID, hook.TurnID), event == preToolUse, func(v Verdict) any {
		d := v.only()
		switch {
		case event == permissionRequest:
			return newPermission(v)
		case d.IsApproved && d.Args == nil:
			return struct{}{}
		}
		return newPreToolUse(v)
	})
}
