package domain

import "time"

// Context is the project that a plan belongs to. Native is the JSON that the client
// sent.
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

// ContextReader reads contexts.
type ContextReader interface {
	Context(id string) (*Context, error)
	Contexts(f ContextFilter, p Page) (list []*Context, next string, err error)
}

// ContextWriter writes contexts.
type ContextWriter interface {
	InsertContext(*Context) error
	UpdateContext(*Context) error
}

// ContextActive is the only status in which a plan may start.
const ContextActive = "active"

// ContextFilter narrows a list of contexts.
type ContextFilter struct {
	Visible Visibility
}
