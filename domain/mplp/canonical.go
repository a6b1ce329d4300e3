package mplp

import "time"

// ConfirmExtra is what the server knows of a confirm beside its JSON. Zero fields are
// left out.
type ConfirmExtra struct {
	ApprovalKey     string
	ExpiresAt       time.Time
	Cause           string           // why the confirm ended: human, timeout, …
	Decisions       []ActionDecision // one per action
	UserEditContent string
}

// CanonicalConfirm converts a stored confirm into an object that validates against the
// official schema. Members that the schema does not know become attributes of its
// trace, and decisions on actions become data of an event. Ids are those of
// [CanonicalID]; the sent ones are kept in the attribute native_ids. A canonical
// confirm is returned unchanged. An error means that this package cannot read the
// confirm.
func CanonicalConfirm(native []byte, x ConfirmExtra) ([]byte, error) {
	p, o, err := startProjection("confirm", native)
	if err != nil {
		return nil, err
	}
	p.target = textMember(o, "target_type")
	p.moveToAttributes(o, "actions", "review_configs", "timeout", "plan_id", "step_id", "session_id", "message_id",
		"approval_key", "index", "required_role", "supersedes", "on_reject")
	if x.ApprovalKey != "" {
		p.attributes.Set("approval_key", String(x.ApprovalKey))
	}
	if !x.ExpiresAt.IsZero() {
		p.attributes.Set("expires_at", String(RenderTime(x.ExpiresAt)))
	}
	x.addEvent(p, o)
	return p.finish(confirmForm, o, "trace")
}

// CanonicalPlan converts a stored plan; see [CanonicalConfirm]. Its governance becomes
// an attribute, as the schema of plans has none.
func CanonicalPlan(native []byte) ([]byte, error) {
	p, o, err := startProjection("plan", native)
	if err != nil {
		return nil, err
	}
	p.reserveStepIDs(o)
	p.moveToAttributes(o, "governance")
	return p.finish(planForm, o, "trace")
}

// CanonicalRole converts a stored role; see [CanonicalConfirm].
func CanonicalRole(native []byte) ([]byte, error) {
	p, o, err := startProjection("role", native)
	if err != nil {
		return nil, err
	}
	return p.finish(roleForm, o, "trace")
}

// CanonicalContext converts a stored context; see [CanonicalConfirm]. One without a
// title gets its id as title.
func CanonicalContext(native []byte) ([]byte, error) {
	p, o, err := startProjection("context", native)
	if err != nil {
		return nil, err
	}
	return p.finish(contextForm, o, "trace")
}

// CanonicalTrace converts a stored trace; see [CanonicalConfirm]. Unknown members
// become attributes of the root span.
func CanonicalTrace(native []byte) ([]byte, error) {
	p, o, err := startProjection("trace", native)
	if err != nil {
		return nil, err
	}
	return p.finish(traceObjectForm, o, "root_span")
}

// reserveStepIDs lets steps keep ids that are canonical already, whatever comes before
// them.
func (p *projection) reserveStepIDs(plan *Object) {
	steps, _ := plan.Get("steps")
	for _, raw := range elements(steps) {
		if id := textMember(split(raw), "step_id"); uuidShape.MatchString(id) {
			p.ownID("step", id)
		}
	}
}

// addEvent adds an event with the decisions on the actions, unless the object has one
// already.
func (x ConfirmExtra) addEvent(p *projection, o *Object) {
	if x.Cause == "" && x.UserEditContent == "" && len(x.Decisions) == 0 {
		return
	}
	raw, _ := o.Get("events")
	events := elements(raw)
	id := p.derivedID("event", "decision")
	for _, e := range events {
		if textMember(split(e), "event_id") == id {
			return
		}
	}
	e := NewObject()
	e.Set("event_id", String(id))
	e.Set("event_type", String("confirm."+textMember(o, "status")))
	e.Set("source", String("confirm"))
	e.Set("timestamp", String(decidedTime(p, o)))
	e.Set("data", x.data().Bytes())
	o.Set("events", Array(append(events, e.Bytes())...))
}

// decidedTime returns the time of the last decision of a confirm.
func decidedTime(p *projection, o *Object) string {
	raw, _ := o.Get("decisions")
	if list := elements(raw); len(list) > 0 {
		if t, _, ok := parseTime(textMember(split(list[len(list)-1]), "decided_at")); ok {
			return RenderTime(t)
		}
	}
	return p.time
}

func (x ConfirmExtra) data() *Object {
	data := NewObject()
	if x.Cause != "" {
		data.Set("cause", String(x.Cause))
	}
	if len(x.Decisions) > 0 {
		list := make([]Raw, len(x.Decisions))
		for i, d := range x.Decisions {
			list[i] = d.bytes()
		}
		data.Set("decisions", Array(list...))
	}
	if x.UserEditContent != "" {
		data.Set("user_edit_content", String(x.UserEditContent))
	}
	return data
}

// bytes writes a decision as the JSON interface does.
func (d ActionDecision) bytes() Raw {
	o := NewObject()
	o.Set("type", String(d.Type))
	if d.Type == "edit" {
		edited := NewObject()
		edited.Set("name", String(d.Name))
		edited.Set("args", d.Args)
		o.Set("edited_action", edited.Bytes())
	}
	if d.Message != "" {
		o.Set("message", String(d.Message))
	}
	return o.Bytes()
}
