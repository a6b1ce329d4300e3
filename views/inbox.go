package views

// InboxView is GET /confirms: the pending or the decided confirms.
type InboxView struct {
	Self    string // the page's own address with its query: the region refreshes from it
	Decided bool   // which tab: query status=pending or status=decided

	PendingURL, DecidedURL string // the tabs, with the current filter
	PendingCount           int
	PendingCap             int // above it the count reads "99+"; 0 means no cap

	Filter   InboxFilter
	Rows     []InboxRow
	NextURL  string // the next page, empty on the last
	FirstURL string // back to the first page, empty on it

	EmptyAt string // the server's base URL for the curl example of an empty inbox
}

// InboxFilter is the filter form: the query parameters target_type, role
// (requested_by_role), mine=1 and q.
type InboxFilter struct {
	Query       string
	TargetTypes []Option
	Roles       []Option
	Mine        bool
	Active      bool   // any filter is set
	ClearURL    string // the same tab without any
}

// InboxRow is one confirm of the list. Text from the agent is shown whole.
type InboxRow struct {
	ID                      string
	URL                     string // the confirm's page, carrying the current filter
	TargetType              string
	Heading                 string   // what it is called if it calls no tool
	Target                  string   // the plan's title or the target's id
	Tools                   []string // names of the actions, in order
	Step                    string   // the step that it gates, if any
	Reason                  string   // the agent's words
	Requester               string   // principal: the key's name
	RequestRole             string
	RoleUnknown             bool // the role is a label, not a registered role
	RequiredRole            string
	Requested               Moment // an age (Ago)
	Deadline                Deadline
	Import, Unbound, Locked bool
	Mine                    bool // the reader may decide it

	// Of decided ones:
	Status  string
	Cause   string // human, agent, timeout, cancelled, policy, import
	Outcome string // the cause in words: "by reviewer", "nobody decided in time"
	By      string // who decided, empty for system
	Decided Moment
	Took    string // from receipt to decision: "1 min 12 s"
}
