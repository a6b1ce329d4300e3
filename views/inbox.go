package views

import (
	"github.com/a-h/templ"

	"countersign/domain"
)

// InboxView is GET /confirms: the pending or the decided requests.
type InboxView struct {
	Self    string // the page's own address with its query: the region refreshes from it
	Decided bool   // which tab: query status=pending or status=decided

	PendingURL, DecidedURL string // the tabs, with the current filter
	PendingCount           int
	PendingCap             int // above it the count reads "200+"; 0 means no cap

	Share int // limit of rows for each group, if one has more; otherwise 0

	Filter   InboxFilter
	Rows     []InboxRow
	NextURL  string // the next page, empty on the last
	FirstURL string // back to the first page, empty on it

	EmptyAt string // the server's base URL for the curl example of an empty inbox
	Connect string // the page that says how to connect an agent; empty if the user may not
}

// InboxFilter is the filter form: the query parameters target_type, role
// (requested_by_role), mine=1 and q.
type InboxFilter struct {
	Query       string
	TargetTypes []Option
	Roles       []Option
	Mine        bool
	Group       string // lists only this group, if set
	Active      bool   // any filter is set
	ClearURL    string // the same tab without filters
}

// InboxRow is one request of the list. It shows only the start of long texts.
type InboxRow struct {
	ID                      string
	URL                     string   // the page of the request, with the current filter
	Tools                   []string // names of the actions, in order
	TargetType              string
	Heading                 string // used if it has no actions
	Target                  string // the plan's title or the target's id; empty if that says nothing
	Step                    string // the step that it is about, if any
	Reason                  string // the start of the agent's reason
	ReasonMore              int    // how many characters are left out
	Requester               string // principal: the key's name
	RequestRole             string
	RoleUnknown             bool // the role is a label, not a registered role
	RequiredRole            string
	Requested               Moment // an age
	Deadline                Deadline
	Import, Unbound, Locked bool
	Values                  []InboxValue // the arguments that matter most
	Notices                 int          // findings to stop or to look at
	Notice, NoticeLevel     string       // the gravest, in words
	Mine                    bool         // the user may decide it
	IsMineMarked            bool         // the list has others
	Votes                   string       // "1 of 2" approvals, if it needs several
	HasVoted                bool         // the user has voted
	Unproven                bool         // it differs from the log, so its content is hidden
	Rest                    InboxRest

	// For the tab of decided requests:
	Decided   bool
	Status    string
	Cause     string // human, agent, timeout, cancelled, policy, import
	Outcome   string // the cause in words: "by reviewer", "nobody decided in time"
	By        string // who decided, empty for system
	DecidedAt Moment
	Took      string // from receipt to decision; empty: not known
}

// InboxValue is an argument in short.
type InboxValue struct {
	Name string
	Text domain.Excerpt
}

// InboxRest follows the last listed row of a group that has more.
type InboxRest struct {
	URL         string // all of the group; empty if the list has them
	Owner, Name string // of the group's keys, or the only key's; empty: keys without an owner
	Left, Cap   int    // 0 left: not counted; above the cap: at least
}

func (r InboxRest) words() string {
	switch {
	case r.Left > r.Cap:
		return "and more than " + grouped(r.Cap) + " more of "
	case r.Left > 0:
		return "and " + grouped(r.Left) + " more of "
	}
	return "and more of "
}

// rowLegend explains the marks in a row's heading and target.
func rowLegend(row InboxRow) templ.Component {
	return component(func(m *htmlBuffer) {
		var c counts
		c.tools(row.Tools...)
		c.text(row.Heading, row.Target)
		m.legend(c)
	})
}
