package views

import "github.com/a-h/templ"

// Link is a labelled address. An empty URL is shown as plain text, for objects
// that the reader may not open.
type Link struct {
	Label  string
	URL    string
	Quoted bool // an agent says so: the label stands in quotation marks
}

func link(l Link) templ.Component { return drawn(func(m *markup) { m.link(l) }) }

func (m *markup) link(l Link) {
	open, end := `<span>`, `</span>`
	if l.URL != "" {
		open, end = `<a href="`+templ.EscapeString(string(templ.URL(l.URL)))+`">`, `</a>`
	}
	m.html(open)
	if l.Quoted {
		m.agentQuoted(l.Label)
	} else {
		m.agentInline(l.Label)
	}
	m.html(end)
}
