package mplp

import "strconv"

// SetLocked sets governance.locked of an object and keeps the rest of its governance.
// An object without governance is unlocked, and gets none just for that.
func SetLocked(o *Object, locked bool) {
	raw, sent := o.Get("governance")
	if !sent && !locked {
		return
	}
	governance := NewObject()
	if sent && raw[0] == '{' {
		governance = split(raw)
	}
	governance.Set("locked", Raw(strconv.FormatBool(locked)))
	o.Set("governance", Raw(governance.Bytes()))
}

// readGovernance reads whether an object is locked.
func readGovernance(locked *bool) func(value) {
	return func(v value) {
		o := v.object()
		if o == nil {
			return
		}
		var ignored string
		v.r.members(v.path, o, fields{
			{"lifecyclePhase", title(&ignored)},
			{"truthDomain", title(&ignored)},
			{"locked", truth(locked)},
			{"lastConfirmRef", anyObject},
		})
	}
}
