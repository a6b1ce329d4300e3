package views

import (
	"unicode/utf8"

	"github.com/a-h/templ"

	"countersign/domain"
)

// Lists show at most this many characters of an agent's texts, so that no agent can
// make a page large. The page of the request shows all of it.
const (
	excerptLength = domain.MaxExcerpt // of a reason, a summary, a description
	labelLength   = 100               // of a title
	nameLength    = 60                // of a tool's name, a role's label
	toolsLength   = 120               // of the names of all tools together
	toolsListed   = 6                 // calls of different tools
	shortMarkup   = 239               // bytes of markup that any text may take
)

// Excerpt shows the start of a text within a line, and how much is left out.
func Excerpt(s string) templ.Component {
	return component(func(m *htmlBuffer) { m.excerptInline(s, excerptLength) })
}

// Label shows a title in a list like Excerpt, in quotation marks. Name shows a name.
func Label(s string) templ.Component {
	return component(func(m *htmlBuffer) { m.excerptQuoted(s, labelLength) })
}

func Name(s string) templ.Component {
	return component(func(m *htmlBuffer) { m.excerptQuoted(s, nameLength) })
}

// headingInline is the beginning of a heading, whose quotation marks it has.
func headingInline(s string) templ.Component {
	return component(func(m *htmlBuffer) { m.excerptInline(s, labelLength) })
}

// ExcerptInline is Excerpt of a text that is already shortened.
func ExcerptInline(e domain.Excerpt) templ.Component {
	return component(func(m *htmlBuffer) {
		m.html(`<span class="agent-inline" hx-ignore dir="ltr">`)
		shown := m.beginning(e, nameLength, m.segments)
		m.html(`</span>`)
		m.leftOut(shown)
	})
}

// ExcerptText is Excerpt for a paragraph. The text may already be shortened.
func ExcerptText(e domain.Excerpt) templ.Component {
	return component(func(m *htmlBuffer) { m.excerptText(e) })
}

func (m *htmlBuffer) excerptText(e domain.Excerpt) {
	m.html(`<div class="agent-text" hx-ignore dir="ltr">`)
	shown := m.beginning(e, excerptLength, m.segments)
	m.html(`</div>`)
	m.leftOut(shown)
	m.legend(countsOf(shown.Text))
}

func (m *htmlBuffer) excerptInline(s string, most int) {
	m.html(`<span class="agent-inline" hx-ignore dir="ltr">`)
	shown := m.beginning(domain.Excerpt{Text: s}, most, m.segments)
	m.html(`</span>`)
	m.leftOut(shown)
}

// excerptQuoted is excerptInline in quotation marks, so that the agent's words
// stand out from the server's.
func (m *htmlBuffer) excerptQuoted(s string, most int) {
	m.html(`<q class="said"><span class="agent-inline" hx-ignore dir="ltr">`)
	shown := m.beginning(domain.Excerpt{Text: s}, most, m.segments)
	m.html(`</span></q>`)
	m.leftOut(shown)
}

// excerptTool shows the start of a tool's name.
func (m *htmlBuffer) excerptTool(s string) {
	m.html(`<q class="tool said"><span class="agent-inline" hx-ignore dir="ltr">`)
	shown := m.beginning(domain.Excerpt{Text: s}, nameLength, func(s string) { m.name(s, VisibleName) })
	m.html(`</span></q>`)
	m.leftOut(shown)
}

// beginning writes the start of a text: at most as many characters as a list shows,
// and fewer if they need marks, which take many bytes.
func (m *htmlBuffer) beginning(e domain.Excerpt, most int, write func(string)) domain.Excerpt {
	at, room := len(m.buf), max(3*most, shortMarkup)
	for length := most; ; length = length * 3 / 4 {
		shown := domain.NewExcerpt(e.Text, length)
		write(shown.Text)
		if len(m.buf)-at <= room || length == 0 {
			shown.Omitted += e.Omitted
			return shown
		}
		m.buf = m.buf[:at]
	}
}

// leftOut says how much is left out. It stands outside the agent's text.
func (m *htmlBuffer) leftOut(e domain.Excerpt) {
	if e.Omitted > 0 {
		m.html(` <small class="left-out">`, e.OmittedText(), `</small>`)
	}
}

// toolRun is a number of consecutive calls of one tool.
type toolRun struct {
	name  string
	calls int
}

// listedTools returns the calls that a list names, and how many it leaves out.
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

// moreCalls says how many calls a list leaves out.
func moreCalls(n int) string {
	switch n {
	case 0:
		return ""
	case 1:
		return "… and 1 more call"
	}
	return "… and " + grouped(n) + " more calls"
}
