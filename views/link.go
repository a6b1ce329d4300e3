package views

import "github.com/a-h/templ"

// Link is a labelled address. With an empty URL it is plain text, for objects that
// the user may not open.
type Link struct {
	Label  string
	URL    string
	Quoted bool // an agent wrote the label: it is shown in quotation marks
}

func link(l Link) templ.Component { return component(func(m *htmlBuffer) { m.link(l) }) }

func (m *htmlBuffer) link(l Link) {
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
