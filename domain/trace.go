package domain

import (
	"time"
)

// Trace is a posted record of an execution, stored as it is. What this server knows of
// a trace is in the log.
type Trace struct {
	ID          string
	ContextID   string
	PlanID      string
	Status      string
	Locked      bool
	Native      []byte
	RequestedBy Ref
	Group       Group
	CreatedAt   time.Time
}

// TraceReader reads posted traces.
type TraceReader interface {
	Trace(id string) (*Trace, error)
	Traces(f TraceFilter, p Page) (list []*Trace, next string, err error)
}

// TraceWriter writes posted traces.
type TraceWriter interface {
	InsertTrace(*Trace) error
}

// TraceFilter narrows a list of traces.
type TraceFilter struct {
	Visible Visibility // set by the service
}
