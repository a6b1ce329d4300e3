package views

import (
	"iter"
	"strconv"
	"strings"

	"github.com/a-h/templ"

	"countersign/domain"
)

// ToolNames lists tool calls in a line: “deploy” + “send_mail” × 32.
func ToolNames(names []string) string {
	var words []string
	for name, calls := range toolRuns(names) {
		words = append(words, quoted(name)+times(calls))
	}
	return strings.Join(words, " + ")
}

// toolRuns returns the names in order, with the number of consecutive calls.
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

// ListedTools is ToolNames for lists: it shortens long names and leaves out all but
// the first.
func ListedTools(names []string) string {
	var words []string
	shown, left := listedTools(names)
	for _, run := range shown {
		words = append(words, quoted(domain.NewExcerpt(run.name, nameLength).String())+times(run.calls))
	}
	text := strings.Join(words, " + ")
	if left > 0 {
		text += " " + moreCalls(left)
	}
	return text
}

func toolNames(names []string) templ.Component {
	return component(func(m *htmlBuffer) { m.toolNames(names) })
}

func (m *htmlBuffer) toolNames(names []string) {
	first := true
	for name, calls := range toolRuns(names) {
		m.toolCalls(first, calls, func() { m.toolName(name) })
		first = false
	}
}

// listedToolNames is toolNames for lists.
func listedToolNames(names []string) templ.Component {
	return component(func(m *htmlBuffer) { m.listedTools(names) })
}

func (m *htmlBuffer) listedTools(names []string) {
	shown, left := listedTools(names)
	for i, run := range shown {
		m.toolCalls(i == 0, run.calls, func() { m.excerptTool(run.name) })
	}
	if left > 0 {
		m.html(` <small class="left-out">`, moreCalls(left), `</small>`)
	}
}

func (m *htmlBuffer) toolCalls(first bool, calls int, name func()) {
	if !first {
		m.html(` <span class="then" aria-hidden="true">+</span> `)
	}
	name()
	if calls > 1 { // outside the agent's text
		m.html(`<span class="then">`, times(calls), `</span>`)
	}
}

// times follows the name of a tool that is called more than once.
func times(calls int) string {
	if calls == 1 {
		return ""
	}
	return " × " + strconv.Itoa(calls)
}
