package mplp

// TraceObject is a trace as it is posted: the record of an execution, which
// other objects refer to by their [Trace]. Status is "" when absent.
type TraceObject struct {
	ID, ContextID, PlanID, Status string
	Locked                        bool    // governance.locked
	Native                        *Object // as sent, without "$comment"
	Warnings                      []Warning
}

// ParseTraceObject reads a posted trace: of its members only context_id is
// required. Errors are *SyntaxError or *Invalid.
func ParseTraceObject(data []byte, l Limits) (*TraceObject, error) {
	r, o, err := open(data, l)
	if err != nil {
		return nil, err
	}
	t := &TraceObject{Native: o}
	for _, name := range []string{"meta", "root_span", "status"} {
		r.filled(o, "", name)
	}
	r.members("", o, fields{
		{"meta", anyObject},
		{"events", events},
		{"governance", governance(&t.Locked)},
		{"trace_id", id(&t.ID)},
		{"context_id", id(&t.ContextID)},
		{"plan_id", id(&t.PlanID)},
		{"root_span", trace(new(*Trace))},
		{"status", oneOf(&t.Status, traceStatuses...)},
		{"started_at", moment(new(string))},
		{"finished_at", moment(new(string))},
		{"segments", segments},
	}, "context_id")
	t.Warnings = r.warnings
	return verdict(r, t)
}

func segments(v value) {
	for _, e := range v.elements() {
		if o := e.object(); o != nil {
			v.r.members(e.path, o, fields{
				{"segment_id", id(new(string))},
				{"parent_segment_id", id(new(string))},
				{"label", title(new(string))},
				{"status", oneOf(new(string), segmentStatuses...)},
				{"started_at", moment(new(string))},
				{"finished_at", moment(new(string))},
				{"attributes", anyObject},
			}, "segment_id", "label", "status")
		}
	}
}

// CompleteTrace returns a trace as it is stored: what was sent, with its id and
// the required members that were missing. A trace that names no root span is
// one.
func CompleteTrace(sent *Object, id string) []byte {
	complete(sent, "trace_id", id)
	fill(sent, "status", String("pending"))
	root := NewObject()
	root.Set("trace_id", String(id))
	root.Set("span_id", String(id))
	fill(sent, "root_span", root.Bytes())
	return sent.Bytes()
}
