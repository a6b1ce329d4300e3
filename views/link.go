package views

import "github.com/a-h/templ"

// Link is a labelled address. An empty URL is shown as plain text, for objects
// that the reader may not open.
type Link struct {
	Label string
	URL   string
}

func link(l Link) templ.Component { return drawn(func(m *markup) { m.link(l) }) }

func (m *markup) link(l Link) {
	if l.URL == "" {
		m.html(`<span>`)
		m.agentInline(l.Label)
		m.html(`</span>`)
		return
	}
	m.html(`<a href="`)
	m.text(string(templ.URL(l.URL)))
	m.html(`">`)
	m.agentInline(l.Label)
	m.html(`</a>`)
}
