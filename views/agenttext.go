package views

import (
	"strconv"

	"github.com/a-h/templ"
)

// AgentText shows what an agent wrote, whole, with its white space, and with
// nothing invisible left invisible. hx-ignore keeps it from ever becoming a
// control.
func AgentText(s string) templ.Component { return drawn(func(m *markup) { m.agentText(s) }) }

// AgentInline is AgentText within a line.
func AgentInline(s string) templ.Component { return drawn(func(m *markup) { m.agentInline(s) }) }

func (m *markup) agentText(s string) {
	m.html(`<div class="agent-text" hx-ignore dir="ltr">`)
	m.segments(s)
	m.html(`</div>`)
	m.hiddenCount(Hidden(s))
}

func (m *markup) hiddenCount(n int) {
	if n == 0 {
		return
	}
	words := "1 invisible character, marked above"
	if n > 1 {
		words = strconv.Itoa(n) + " invisible characters, marked above"
	}
	m.html(`<p class="hidden-count">`)
	m.icon("warning")
	m.html(words, `</p>`)
}

func (m *markup) agentInline(s string) {
	m.html(`<span class="agent-inline" hx-ignore dir="ltr">`)
	m.segments(s)
	m.html(`</span>`)
}
