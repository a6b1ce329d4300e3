package views

import (
	"unicode/utf8"

	"github.com/a-h/templ"

	"countersign/domain"
)

// How many characters lists have of what agents wrote, so that nothing that an
// agent posts makes a page large. The page of the request has all of it.
const (
	excerptLength = domain.MaxExcerpt // of a reason, a summary, a description
	labelLength   = 100               // of a title
	nameLength    = 60                // of a tool's name, a role's label
	toolsLength   = 120               // of the names of all tools together
	toolsListed   = 6                 // calls of different tools
	shortMarkup   = 239               // bytes of markup that any text may take
)

// Excerpt shows how a text within a line begins, and how much is left out.
func Excerpt(s string) templ.Component {
	return drawn(func(m *markup) { m.excerptInline(s, excerptLength) })
}

// Label is a title in a list, cut as Excerpt is and in quotation marks, and Name a
// name.
func Label(s string) templ.Component {
	return drawn(func(m *markup) { m.excerptQuoted(s, labelLength) })
}

func Name(s string) templ.Component {
	return drawn(func(m *markup) { m.excerptQuoted(s, nameLength) })
}

// ExcerptText is Excerpt for a text of its own, of which more characters may
// follow than are here.
func ExcerptText(e domain.Excerpt) templ.Component {
	return drawn(func(m *markup) { m.excerptText(e) })
}

func (m *markup) excerptText(e domain.Excerpt) {
	m.html(`<div class="agent-text" hx-ignore dir="ltr">`)
	shown := m.beginning(e, excerptLength, m.segments)
	m.html(`</div>`)
	m.leftOut(shown)
	m.legend(countsOf(shown.Text))
}

func (m *markup) excerptInline(s string, most int) {
	m.html(`<span class="agent-inline" hx-ignore dir="ltr">`)
	shown := m.beginning(domain.Excerpt{Text: s}, most, m.segments)
	m.html(`</span>`)
	m.leftOut(shown)
}

// excerptQuoted is excerptInline in quotation marks: among the server's own words it
// is seen where the agent's begin and end.
func (m *markup) excerptQuoted(s string, most int) {
	m.html(`<q class="said"><span class="agent-inline" hx-ignore dir="ltr">`)
	shown := m.beginning(domain.Excerpt{Text: s}, most, m.segments)
	m.html(`</span></q>`)
	m.leftOut(shown)
}

// excerptTool is the beginning of a tool's name.
func (m *markup) excerptTool(s string) {
	m.html(`<q class="tool said"><span class="agent-inline" hx-ignore dir="ltr">`)
	shown := m.beginning(domain.Excerpt{Text: s}, nameLength, func(s string) { m.name(s, VisibleName) })
	m.html(`</span></q>`)
	m.leftOut(shown)
}

// beginning writes as many characters of a text as a list has of it, or fewer:
// characters that only a mark shows take many bytes, and a page is to stay small
// whatever is written.
func (m *markup) beginning(e domain.Excerpt, most int, write func(string)) domain.Excerpt {
	at, room := len(m.made), max(3*most, shortMarkup)
	for length := most; ; length = length * 3 / 4 {
		shown := domain.NewExcerpt(e.Text, length)
		write(shown.Text)
		if len(m.made)-at <= room || length == 0 {
			shown.More += e.More
			return shown
		}
		m.made = m.made[:at]
	}
}

// leftOut says how much there is more, outside of what an agent may have written.
func (m *markup) leftOut(e domain.Excerpt) {
	if e.More > 0 {
		m.html(` <small class="left-out">`, e.Left(), `</small>`)
	}
}

// toolRun is so many calls of one tool that follow each other.
type toolRun struct {
	name  string
	calls int
}

// listedTools are the calls that a list names, and how many it does not.
func listedTools(names []string) (shown []toolRun, left int) {
	room := toolsLength
	left = len(names)
	for name, calls := range toolRuns(names) {
		if len(shown) == toolsListed || len(shown) > 0 && room <= 0 {
			break
		}
		room -= min(utf8.RuneCountInString(name), nameLength)
		shown, left = append(shown, toolRun{name, calls}), left-calls
	}
	return shown, left
}

// moreCalls says that a list does not name all calls.
func moreCalls(n int) string {
	switch n {
	case 0:
		return ""
	case 1:
		return "… and 1 more call"
	}
	return "… and " + grouped(n) + " more calls"
}
