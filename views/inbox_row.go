package views

import (
	"iter"
	"time"

	"github.com/a-h/templ"

	"countersign/domain"
)

// InboxRow is one confirm of the list. Of a long text from the agent it shows the
// beginning.
type InboxRow struct {
	InboxFacts
	Tools []string // names of the actions, in order
	Rest  InboxRest
}

// InboxRest follows the last row of a group of which the list does not have all.
type InboxRest struct {
	URL         string // all of the group; empty: the list has them
	Owner, Name string // of the group's keys, or the only key's; empty: keys without an owner
	Left, Cap   int    // 0 left: not counted; above the cap: at least
}

// InboxFacts are what a row shows beside its tools, to be compared as a whole.
type InboxFacts struct {
	ID                      string
	URL                     string // the confirm's page, carrying the current filter
	TargetType              string
	Heading                 string // what it is called if it calls no tool
	Target                  string // the plan's title or the target's id; empty if that says nothing
	Step                    string // the step that it gates, if any
	Reason                  string // the agent's words, as far as a list has them
	ReasonMore              int    // characters that follow
	Requester               string // principal: the key's name
	RequestRole             string
	RoleUnknown             bool // the role is a label, not a registered role
	RequiredRole            string
	Requested               time.Time
	Deadline                time.Time // zero: never
	Import, Unbound, Locked bool
	Mine                    bool // the reader may decide it
	Unproven                bool // it is not stored as the log has it: nothing of it is shown

	// Of those on the tab of decided ones:
	Decided   bool
	Status    string
	Cause     string // human, agent, timeout, cancelled, policy, import
	Outcome   string // the cause in words: "by reviewer", "nobody decided in time"
	By        string // who decided, empty for system
	DecidedAt time.Time
	Took      time.Duration // from receipt to decision; 0: not known
}

// InboxRows draws the rows as of now, or takes them as they were drawn before; d
// may be nil.
func InboxRows(rows iter.Seq[InboxRow], now time.Time, d *InboxDrawn) templ.Component {
	return drawn(func(m *markup) {
		for row := range rows {
			m.filled(d.row(&row), now)
			m.inboxRest(&row.Rest)
		}
	})
}

func (m *markup) inboxRow(row *InboxRow) {
	if row.Unproven {
		m.unprovenRow(row)
		return
	}
	m.html(`<li class="row" id="row-`)
	m.text(row.ID)
	m.html(`"><div class="row-main"><h2><a class="row-link" href="`)
	m.text(string(templ.URL(row.URL)))
	m.html(`">`)
	m.rowTitle(row)
	m.html(`</a></h2><p class="row-target"><span class="kind">`)
	m.text(row.TargetType)
	m.html(`</span> `)
	if row.Target != "" && (len(row.Tools) > 0 || quoted(row.Target) != row.Heading) {
		m.excerptQuoted(row.Target, labelLength)
	}
	if row.Step != "" {
		m.html(`<span class="step-ref">`)
		m.icon("gate")
		m.agentInline(row.Step)
		m.html(`</span>`)
	}
	m.html(`</p>`)
	m.rowLegend(row)
	if row.Reason != "" {
		m.html(agentsWords)
		m.html(`<blockquote class="row-reason">`)
		m.excerptText(domain.Excerpt{Text: row.Reason, More: row.ReasonMore})
		m.html(`</blockquote>`)
	}
	m.rowMeta(row)
	m.html(`</div><div class="row-side">`)
	if row.Decided {
		m.rowDecision(row)
	} else {
		m.running(row.Deadline)
		if row.Mine {
			m.html(` `)
			m.badge("info", "user", "Yours to decide")
		}
	}
	m.html(`</div></li>`)
}

// unprovenRow says of a request only that it is not as it was asked.
func (m *markup) unprovenRow(row *InboxRow) {
	m.html(`<li class="row" id="row-`)
	m.text(row.ID)
	m.html(`"><div class="row-main"><h2><a class="row-link" href="`)
	m.text(string(templ.URL(row.URL)))
	m.html(`">Request `)
	m.agentInline(row.ID)
	m.html(`</a></h2><p class="notice tone-bad">`)
	m.icon("warning")
	m.html(` Changed in the database: it is not what the log says. Nothing of it is shown, and nobody can decide it. An administrator should verify the database.</p></div></li>`)
}

func (m *markup) inboxRest(rest *InboxRest) {
	if rest.URL == "" {
		return
	}
	m.html(`<li class="row-rest"><a href="`)
	m.text(string(templ.URL(rest.URL)))
	m.html(`">and `)
	switch {
	case rest.Left > rest.Cap:
		m.html(`more than `, grouped(rest.Cap), ` more`)
	case rest.Left > 0:
		m.html(grouped(rest.Left), ` more`)
	default:
		m.html(`more`)
	}
	m.html(` of `)
	switch {
	case rest.Owner != "":
		m.agentInline(rest.Owner)
		m.html(` and their agents`)
	case rest.Name != "":
		m.agentInline(rest.Name)
	default:
		m.html(`the agents without an owner`)
	}
	m.html(`</a></li>`)
}

// rowTitle names the tools, or what has none by its heading.
func (m *markup) rowTitle(row *InboxRow) {
	if len(row.Tools) == 0 {
		m.excerptInline(row.Heading, labelLength)
	}
	m.listedTools(row.Tools)
}

// rowLegend says what is marked in the row's heading and target.
func (m *markup) rowLegend(row *InboxRow) {
	var c counts
	c.tools(row.Tools...)
	c.text(row.Heading, row.Target)
	m.legend(c)
}

func (m *markup) rowMeta(row *InboxRow) {
	m.html(`<p class="row-meta"><span>`)
	m.icon("agent")
	m.agentInline(row.Requester)
	m.html(`</span> <span>as `)
	if row.RoleUnknown {
		m.excerptQuoted(row.RequestRole, nameLength)
		m.html(` <em class="unregistered">not registered</em>`)
	} else {
		m.agentInline(row.RequestRole)
	}
	m.html(`</span> `)
	if row.RequiredRole != "" {
		m.html(`<span>`)
		m.icon("lock")
		m.html(` needs `)
		m.agentInline(row.RequiredRole)
		m.html(`</span> `)
	}
	m.html(`<span class="age">`)
	m.passing(row.Requested)
	m.html(`</span>`)
	m.flags(row.Import && !row.Decided, row.Unbound, row.Locked) // the status of a decided one says it
	m.html(`</p>`)
}

// rowDecision says how it ended, through whom and when.
func (m *markup) rowDecision(row *InboxRow) {
	m.outcome(row.Status, row.Cause)
	if row.By != "" {
		m.html(` <strong>`)
		m.agentInline(row.By)
		m.html(`</strong>`)
	}
	if row.Outcome != "" {
		m.html(` <span class="outcome">`)
		m.text(row.Outcome)
		m.html(`</span>`)
	}
	m.html(` <span class="age">`)
	m.moment(At(row.DecidedAt), "data-local")
	m.html(`</span>`)
	if row.Took > 0 {
		m.html(` <span class="age">took `)
		m.span(row.Took)
		m.html(`</span>`)
	}
}
