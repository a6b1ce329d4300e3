package views

import "github.com/a-h/templ"

// Status is a status as a badge.
func Status(status string) templ.Component {
	shown := look(status)
	return badge(shown.tone, shown.icon, shown.word)
}

func badge(tone, icon, word string) templ.Component {
	return drawn(func(m *markup) { m.badge(tone, icon, word) })
}

func (m *markup) badge(tone, icon, word string) {
	m.html(`<span class="badge tone-`, tone, `">`)
	m.icon(icon)
	m.text(word)
	m.html(`</span>`)
}

func outcome(status, cause string) templ.Component {
	return drawn(func(m *markup) { m.outcome(status, cause) })
}

func (m *markup) outcome(status, cause string) {
	shown := settled(status, cause)
	m.badge(shown.tone, shown.icon, shown.word)
}

// flags mark what is out of the ordinary about an object.
func flags(imported, unbound, locked bool) templ.Component {
	return drawn(func(m *markup) { m.flags(imported, unbound, locked) })
}

func (m *markup) flags(imported, unbound, locked bool) {
	if imported {
		m.badge("odd", "import", "Import, unsubstantiated")
	}
	if unbound {
		m.badge("warn", "unbound", "Unbound: blocks the whole plan")
	}
	if locked {
		m.badge("warn", "lock", "Locked")
	}
}
