package views

import (
	"iter"
	"strconv"
	"strings"

	"github.com/a-h/templ"
)

// ToolNames words tool calls in a line: “deploy” + “send_mail” × 32.
func ToolNames(names []string) string {
	var words []string
	for name, calls := range toolRuns(names) {
		words = append(words, quoted(name)+times(calls))
	}
	return strings.Join(words, " + ")
}

// toolRuns gives the names in their order, and how many calls of each follow
// each other.
func toolRuns(names []string) iter.Seq2[string, int] {
	return func(yield func(string, int) bool) {
		for at, calls := 0, 0; at < len(names); at += calls {
			for calls = 1; at+calls < len(names) && names[at+calls] == names[at]; {
				calls++
			}
			if !yield(names[at], calls) {
				return
			}
		}
	}
}

func toolNames(names []string) templ.Component {
	return drawn(func(m *markup) { m.toolNames(names) })
}

func (m *markup) toolNames(names []string) {
	first := true
	for name, calls := range toolRuns(names) {
		if !first {
			m.html(` <span class="then" aria-hidden="true">+</span> `)
		}
		first = false
		m.toolName(name)
		if calls > 1 { // outside of what an agent may have named itself
			m.html(`<span class="then">`, times(calls), `</span>`)
		}
	}
}

// times follows the name of what is called more than once.
func times(calls int) string {
	if calls == 1 {
		return ""
	}
	return " × " + strconv.Itoa(calls)
}
