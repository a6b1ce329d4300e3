package views

import "github.com/a-h/templ"

// Status is a status as a badge.
func Status(status string) templ.Component {
	shown := statusStyle(status)
	return badge(shown.tone, shown.icon, shown.word)
}

func badge(tone, icon, word string) templ.Component {
	return component(func(m *htmlBuffer) { m.badge(tone, icon, word) })
}

func (m *htmlBuffer) badge(tone, icon, word string) {
	m.html(`<span class="badge tone-`, tone, `">`)
	m.icon(icon)
	m.text(word)
	m.html(`</span>`)
}

func outcome(status, cause string) templ.Component {
	return component(func(m *htmlBuffer) { m.outcome(status, cause) })
}

func (m *htmlBuffer) outcome(status, cause string) {
	shown := finalStatusStyle(status, cause)
	m.badge(shown.tone, shown.icon, shown.word)
}

// flags shows badges for imported, unbound and locked objects.
func flags(imported, unbound, locked bool) templ.Component {
	return component(func(m *htmlBuffer) { m.flags(imported, unbound, locked) })
}

func (m *htmlBuffer) flags(imported, unbound, locked bool) {
	if imported {
		m.badge("odd", "import", "Import, not verified")
	}
	if unbound {
		m.badge("warn", "unbound", "Unbound: blocks the whole plan")
	}
	if locked {
		m.badge("warn", "lock", "Locked")
	}
}
