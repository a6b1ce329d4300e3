package domain

import (
	"time"
)

// Trace is a posted record of an execution: stored and given back as it is.
// What this server knows of a trace is in the log.
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

// TraceFilter narrows a list of traces.
type TraceFilter struct {
	Visible Visibility // set by the service
}
