package mplp

// governance reads whether an object is locked (requirements C-16, R-7c).
func governance(locked *bool) func(value) {
	return func(v value) {
		o := v.object()
		if o == nil {
			return
		}
		var ignored string
		v.r.members(v.path, o, fields{
			"lifecyclePhase": text(&ignored),
			"truthDomain":    text(&ignored),
			"locked":         truth(locked),
			"lastConfirmRef": anyObject,
		})
	}
}
