package mplp

// Trace is an object's reference into an execution trace.
type Trace struct {
	TraceID, SpanID, ParentSpanID, ContextID string
	StepID                                   string // attributes.step_id, "" when absent
}
