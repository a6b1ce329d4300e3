package domain

import "time"

// Context is the project a plan belongs to. No seed defines it further; what
// the client sent is kept in Native (requirements, contradiction 42).
type Context struct {
	ID          string
	Title       string
	Status      string // draft, active, suspended, archived or closed
	OwnerRole   string
	Locked      bool
	Native      []byte
	RequestedBy Ref
	Group       Group
	CreatedAt   time.Time
	UpdatedAt   time.Time
}

// ContextActive is the only status in which a plan may start (requirements
// P-26).
const ContextActive = "active"

// ContextFilter narrows a list of contexts.
type ContextFilter struct {
	Visible Visibility
}
