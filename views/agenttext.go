package views

import (
	"strings"

	"github.com/a-h/templ"
)

// AgentText shows all of an agent's text with its white space, and makes invisible
// characters visible. hx-ignore stops htmx from acting on it.
func AgentText(s string) templ.Component { return component(func(m *htmlBuffer) { m.agentText(s) }) }

// AgentInline is AgentText within a line.
func AgentInline(s string) templ.Component {
	return component(func(m *htmlBuffer) { m.agentInline(s) })
}

// AgentQuoted is AgentInline in quotation marks, so that the agent's words stand
// out from the server's. Browsers draw the marks and do not copy them.
func AgentQuoted(s string) templ.Component {
	return component(func(m *htmlBuffer) { m.agentQuoted(s) })
}

// ToolName is the name of a tool in quotation marks. Names are for programs, so
// characters outside ASCII are marked.
func ToolName(s string) templ.Component { return component(func(m *htmlBuffer) { m.toolName(s) }) }

// agentsWords stands over what an agent says.
const agentsWords = `<p class="label">In the agent's own words</p>`

func agentsLabel() templ.Component { return component(func(m *htmlBuffer) { m.html(agentsWords) }) }

func (m *htmlBuffer) agentText(s string) {
	m.html(`<div class="agent-text" hx-ignore dir="ltr">`)
	m.prose(s, atIndent)
	m.html(`</div>`)
	m.legend(countsOf(s))
}

func (m *htmlBuffer) agentInline(s string) {
	m.html(`<span class="agent-inline" hx-ignore dir="ltr">`)
	m.prose(s, inLine)
	m.html(`</span>`)
}

// prose writes a text of several lines with all marks, also of long gaps.
func (m *htmlBuffer) prose(s string, at edge) {
	lines := strings.Split(s, "\n")
	empty := emptyRuns(lines)
	for i, line := range lines {
		if i > 0 {
			m.html("\n")
		}
		m.emptyLines(empty[i])
		m.exact(line, at)
	}
}

func (m *htmlBuffer) agentQuoted(s string) {
	m.html(`<q class="said">`)
	m.agentInline(s)
	m.html(`</q>`)
}

func (m *htmlBuffer) toolName(s string) {
	m.html(`<q class="tool said"><span class="agent-inline" hx-ignore dir="ltr">`)
	m.name(s, VisibleName)
	m.html(`</span></q>`)
}
