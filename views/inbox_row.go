package views

import "github.com/a-h/templ"

func inboxRow(row InboxRow, decided bool) templ.Component {
	return drawn(func(m *markup) { m.inboxRow(&row, decided) })
}

func (m *markup) inboxRow(row *InboxRow, decided bool) {
	m.html(`<li class="row" id="row-`)
	m.text(row.ID)
	m.html(`" data-id="`)
	m.text(row.ID)
	m.html(`"><div class="row-main"><h2><a class="row-link" href="`)
	m.text(string(templ.URL(row.URL)))
	m.html(`">`)
	m.rowTitle(row)
	m.html(`</a></h2><p class="row-target"><span class="kind">`)
	m.text(row.TargetType)
	m.html(`</span> `)
	if row.Target != "" && (len(row.Tools) > 0 || row.Target != row.Heading) {
		m.agentInline(row.Target)
	}
	if row.Step != "" {
		m.html(`<span class="step-ref">`)
		m.icon("gate")
		m.agentInline(row.Step)
		m.html(`</span>`)
	}
	m.html(`</p>`)
	if row.Reason != "" {
		m.html(`<blockquote class="row-reason">`)
		m.agentText(row.Reason)
		m.html(`</blockquote>`)
	}
	m.rowMeta(row)
	m.html(`</div><div class="row-side">`)
	if decided {
		m.rowDecision(row)
	} else {
		m.countdown(row.Deadline)
		if row.Mine {
			m.html(` `)
			m.badge("info", "user", "Yours to decide")
		}
	}
	m.html(`</div></li>`)
}

// rowTitle names the tools, or what has none by its heading.
func (m *markup) rowTitle(row *InboxRow) {
	if len(row.Tools) == 0 {
		m.agentInline(row.Heading)
	}
	m.toolNames(row.Tools)
}

func (m *markup) rowMeta(row *InboxRow) {
	m.html(`<p class="row-meta"><span>`)
	m.icon("agent")
	m.agentInline(row.Requester)
	m.html(`</span> <span>as `)
	m.agentInline(row.RequestRole)
	if row.RoleUnknown {
		m.html(` <em class="unregistered">not registered</em>`)
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
	m.moment(row.Requested, "data-age")
	m.html(`</span>`)
	m.flags(row.Import, row.Unbound, row.Locked)
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
	m.moment(row.Decided, "data-local")
	m.html(`</span>`)
	if row.Took != "" {
		m.html(` <span class="age">took `)
		m.text(row.Took)
		m.html(`</span>`)
	}
}
