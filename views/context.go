package views

import "countersign/domain"

// ContextsView is GET /contexts.
type ContextsView struct {
	Self     string
	Closed   bool // to this reader, who may read no context
	Rows     []ContextRow
	NextURL  string
	FirstURL string
	EmptyAt  string
}

// ContextRow is one context of the list.
type ContextRow struct {
	ID, URL, Title, Status string
	Summary                domain.Excerpt
	Updated                Moment
	Locked                 bool
}

// ContextView is GET /contexts/{id}.
type ContextView struct {
	Self     string
	ID       string
	Title    string
	Summary  string
	Status   string
	Owner    Link // owner_role
	Locked   bool
	Created  Moment
	Updated  Moment
	Body     string // JSON as stored
	Plans    []Link // where it is used
	Confirms []ConfirmRef
	More     bool // of either than are listed
}
