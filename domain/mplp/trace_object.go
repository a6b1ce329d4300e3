package mplp

// TraceObject is a trace as it is posted: the record of an execution, which other
// objects refer to by their [Trace].
type TraceObject struct {
	ID, ContextID, PlanID, Status string
	Locked                        bool    // governance.locked
	Native                        *Object // as sent, without "$comment"
	Warnings                      []Warning
}

// ParseTraceObject reads a posted trace, of which only context_id is required. Errors
// are *SyntaxError or *Invalid.
func ParseTraceObject(data []byte, l Limits) (*TraceObject, error) {
	r, o, err := openDocument(data, l)
	if err != nil {
		return nil, err
	}
	t := &TraceObject{Native: o}
	for _, name := range []string{"meta", "root_span", "status"} {
		r.warnFilled(o, "", name)
	}
	r.members("", o, fields{
		{"meta", anyObject},
		{"events", events},
		{"governance", readGovernance(&t.Locked)},
		{"trace_id", id(&t.ID)},
		{"context_id", id(&t.ContextID)},
		{"plan_id", id(&t.PlanID)},
		{"root_span", readTrace(new(*Trace))},
		{"status", oneOf(&t.Status, traceStatuses...)},
		{"started_at", moment(new(string))},
		{"finished_at", moment(new(string))},
		{"segments", readSegments},
	}, "context_id")
	t.Warnings = r.warnings
	return result(r, t)
}

func readSegments(v value) {
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

// CompleteTrace returns a trace as it is stored: what was sent, with its id and missing
// required members. Without a root span it is its own.
func CompleteTrace(sent *Object, id string) []byte {
	setIDAndMeta(sent, "trace_id", id)
	setDefault(sent, "status", String("pending"))
	root := NewObject()
	root.Set("trace_id", String(id))
	root.Set("span_id", String(id))
	setDefault(sent, "root_span", root.Bytes())
	return sent.Bytes()
}
