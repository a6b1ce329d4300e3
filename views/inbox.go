package views

import "github.com/a-h/templ"

// InboxView is GET /confirms: the pending or the decided confirms.
type InboxView struct {
	Self    string // the page's own address with its query: the region refreshes from it
	Decided bool   // which tab: query status=pending or status=decided

	PendingURL, DecidedURL string // the tabs, with the current filter
	PendingCount           int
	PendingCap             int // above it the count reads "200+"; 0 means no cap

	Share int // how many rows of a group there are, where it has more; 0: all

	Filter   InboxFilter
	Rows     templ.Component // InboxRows; nil: none
	NextURL  string          // the next page, empty on the last
	FirstURL string          // back to the first page, empty on it

	EmptyAt string // the server's base URL for the curl example of an empty inbox
}

// InboxFilter is the filter form: the query parameters target_type, role
// (requested_by_role), mine=1 and q.
type InboxFilter struct {
	Query       string
	TargetTypes []Option
	Roles       []Option
	Mine        bool
	Group       string // the only group that is listed, if it is one
	Active      bool   // any filter is set
	ClearURL    string // the same tab without any
}
