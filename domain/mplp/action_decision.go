package mplp

// ActionDecision decides one action. Type is approve, reject or edit. Name and Args
// (compact) are set for an edit only, to the edited action.
type ActionDecision struct {
	Type    string
	Name    string
	Args    []byte
	Message string
}

var decisionTypes = []string{"approve", "reject", "edit"}

// StatusOf returns the status that decisions lead to: approved only if every action is
// approved or edited, and never without a decision.
func StatusOf(decisions []ActionDecision) string {
	for _, d := range decisions {
		if d.Type != "approve" && d.Type != "edit" {
			return "rejected"
		}
	}
	if len(decisions) == 0 {
		return "rejected"
	}
	return "approved"
}

func actionDecisions(p *[]ActionDecision) func(value) {
	return func(v value) {
		for _, e := range v.elementsWithin(v.r.limits.Actions) {
			var d ActionDecision
			if o := e.object(); o != nil {
				d.read(e, o)
			}
			*p = append(*p, d)
		}
	}
}

func (d *ActionDecision) read(v value, o *Object) {
	v.r.members(v.path, o, fields{
		{"type", oneOf(&d.Type, decisionTypes...)},
		{"edited_action", d.editedAction},
		{"message", text(&d.Message)},
	}, "type")
	d.checkEdit(v, o)
}

func (d *ActionDecision) editedAction(v value) {
	if o := v.object(); o != nil {
		v.r.members(v.path, o, fields{
			{"name", toolName(&d.Name)},
			{"args", readArguments(&d.Args)},
		}, "name", "args")
	}
}

// checkEdit refuses edited arguments without an edit: their sender believes that they
// will run.
func (d *ActionDecision) checkEdit(v value, o *Object) {
	raw, sent := o.Get("edited_action")
	sent = sent && !isNull(raw)
	switch path := join(v.path, "edited_action"); {
	case d.Type == "edit" && !sent:
		v.r.require(path)
	case d.Type != "edit" && d.Type != "" && sent:
		v.r.problem(path, "unknown", "goes with type edit only")
	}
}
