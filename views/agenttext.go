package views

import "github.com/a-h/templ"

// AgentText shows what an agent wrote, whole, with its white space, and with
// nothing invisible left invisible. hx-ignore keeps it from ever becoming a
// control.
func AgentText(s string) templ.Component { return drawn(func(m *markup) { m.agentText(s) }) }

// AgentInline is AgentText within a line.
func AgentInline(s string) templ.Component { return drawn(func(m *markup) { m.agentInline(s) }) }

// AgentQuoted is AgentInline in quotation marks: among the server's own words it
// is seen where the agent's begin and end. Browsers draw them and do not copy them.
func AgentQuoted(s string) templ.Component { return drawn(func(m *markup) { m.agentQuoted(s) }) }

// ToolName is the name of a tool, in quotation marks. Names are for programs, so
// what is not ASCII is marked.
func ToolName(s string) templ.Component { return drawn(func(m *markup) { m.toolName(s) }) }

// agentsWords stands over what an agent says.
const agentsWords = `<p class="label">In the agent's own words</p>`

func agentsLabel() templ.Component { return drawn(func(m *markup) { m.html(agentsWords) }) }

func (m *markup) agentText(s string) {
	m.html(`<div class="agent-text" hx-ignore dir="ltr">`)
	m.segments(s)
	m.html(`</div>`)
	m.legend(countsOf(s))
}

func (m *markup) agentInline(s string) {
	m.html(`<span class="agent-inline" hx-ignore dir="ltr">`)
	m.segments(s)
	m.html(`</span>`)
}

func (m *markup) agentQuoted(s string) {
	m.html(`<q class="said">`)
	m.agentInline(s)
	m.html(`</q>`)
}

func (m *markup) toolName(s string) {
	m.html(`<q class="tool said"><span class="agent-inline" hx-ignore dir="ltr">`)
	m.name(s, VisibleName)
	m.html(`</span></q>`)
}
