package mplp

// Trace is an object's reference into an execution trace. Every member is optional.
type Trace struct {
	TraceID, SpanID, ParentSpanID, ContextID string
	StepID                                   string // attributes.step_id, "" when absent
}

func readTrace(p **Trace) func(value) {
	return func(v value) {
		if o := v.object(); o != nil {
			*p = &Trace{}
			(*p).read(v, o)
		}
	}
}

func (t *Trace) read(v value, o *Object) {
	v.r.members(v.path, o, fields{
		{"trace_id", id(&t.TraceID)},
		{"span_id", id(&t.SpanID)},
		{"parent_span_id", id(&t.ParentSpanID)},
		{"context_id", id(&t.ContextID)},
		{"attributes", t.readAttributes},
	})
}

// readAttributes reads an open object, of which only step_id matters. A step_id that is
// not a string is kept as its literal: the confirm then names a step that does not
// exist, instead of the whole plan.
func (t *Trace) readAttributes(v value) {
	o := v.object()
	if o == nil {
		return
	}
	raw, ok := o.Get("step_id")
	if !ok || isNull(raw) {
		return
	}
	step := value{r: v.r, path: join(v.path, "step_id"), raw: raw}
	if raw[0] == '"' || len(raw) > v.r.limits.Title {
		t.StepID, _ = step.textWithin(v.r.limits.Title)
		return
	}
	t.StepID = string(raw)
	v.r.warn(step.path, "unbound", "is not a string")
}
