package views

import (
	"slices"
	"strconv"
	"strings"

	"github.com/a-h/templ"
)

// block is how many lines of code a browser lays out together. Those out of
// sight wait until they come into sight, so that very many lines take no longer
// to show than few; the style sheet knows the height of so many.
const block = 100

// fourDigits is the last line whose number fits beside the code.
const fourDigits = 9999

// manyLines is from how many lines on an end is said to be out of sight.
const manyLines = 60

// lineCount is how many lines Code needs for JSON.
func lineCount(json string) int { return strings.Count(Indent(json), "\n") + 1 }

// grouped writes a number so that it is read at a glance: 100,004.
func grouped(n int) string {
	digits := strconv.Itoa(n)
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}

// Code shows JSON in numbered lines that wrap; the numbers are not part of the
// text that a reader copies.
func Code(json string) templ.Component {
	return drawn(func(m *markup) {
		lines := codeLines(json)
		if len(lines) > fourDigits {
			m.html(`<div class="code long" hx-ignore dir="ltr">`)
		} else {
			m.html(`<div class="code" hx-ignore dir="ltr">`)
		}
		m.blocks(len(lines), func(i int) {
			m.html(`<li>`)
			m.codeLine(lines[i])
			m.reading(lines[i])
			m.html(`</li>`)
		})
		m.html(`</div>`)
		c := countsOf(json)
		for _, line := range lines {
			c.name(line.name())
		}
		m.legend(c)
	})
}

// Diff shows two JSON texts as one, with − before lines that go and + before
// lines that come. A long one counts its changes and leads to each: none must be
// overlooked. name tells them from those of other texts on the page.
func Diff(name, before, after string) templ.Component {
	return drawn(func(m *markup) {
		lines := diff(before, after)
		at := changesAt(lines)
		if len(lines) > manyLines {
			m.changes(name, len(at), len(lines))
		}
		m.html(`<div class="diff" hx-ignore dir="ltr">`)
		m.blocks(len(lines), func(i int) {
			m.html(`<li`)
			if n, begins := slices.BinarySearch(at, i); begins {
				m.html(` id="`, changeID(name, n), `"`)
			}
			m.html(opened[lines[i].op])
			line := splitLine(lines[i].text)
			m.codeLine(line)
			m.reading(line)
			m.html(`</li>`)
		})
		m.html(`</div>`)
		c := countsOf(before, after)
		for _, line := range lines {
			c.name(splitLine(line.text).name())
		}
		m.legend(c)
	})
}

// changesAt are the lines at which something else begins to go or to come.
func changesAt(lines []diffLine) (at []int) {
	for i, line := range lines {
		if line.op != ' ' && (i == 0 || lines[i-1].op == ' ') {
			at = append(at, i)
		}
	}
	return at
}

func changeID(name string, n int) string { return "change-" + name + "-" + strconv.Itoa(n+1) }

// changesNamed is to how many changes a Diff leads.
const changesNamed = 50

// changes leads to the changes of a Diff of so many lines.
func (m *markup) changes(name string, n, lines int) {
	m.html(`<p class="hint depends"><span>`, counted(n, "change"), ` in `, grouped(lines), ` lines: go to</span>`)
	for i := range min(n, changesNamed) {
		m.html(`<a href="#`, changeID(name, i), `"><span class="sr-only">change </span>`, strconv.Itoa(i+1), `</a>`)
	}
	if n > changesNamed {
		m.html(`<span>and more</span>`)
	}
	m.html(`</p>`)
}

// opened are how lines of a Diff begin; the style sheet has the marks.
var opened = map[byte]string{
	' ': `>`,
	'-': ` class="removed"><span class="sr-only">removed: </span>`,
	'+': ` class="added"><span class="sr-only">added: </span>`,
}

// blocks writes n items of a list in blocks. A list in a block of its own says
// where its numbers begin: it does not know how many lines are before it. Were it
// the first item that says so, Chromium would give two lines one number when the
// page arrives in two parts.
func (m *markup) blocks(n int, item func(i int)) {
	open, end := `<ol start="`, `</ol>`
	if n > block {
		open, end = `<div class="block">`+open, end+`</div>`
	}
	for i := range n {
		if i%block == 0 {
			m.html(open)
			m.number(int64(i + 1))
			m.html(`">`)
		}
		item(i)
		if i%block == block-1 || i == n-1 {
			m.html(end)
		}
	}
}

// codeLine writes one line of JSON with the member's name set off.
func (m *markup) codeLine(line codeText) {
	m.html(line.indent)
	if line.key != "" {
		m.html(`<b>"`)
		m.name(line.name(), Visible)
		m.html(`"</b>`)
	}
	m.segments(line.rest)
}

// reading says beside a line what its escapes stand for.
func (m *markup) reading(line codeText) {
	text := spelled(line.key + line.rest)
	if text == "" {
		return
	}
	m.html(`<small class="reading">reads <span>`)
	m.codeLine(splitLine(text))
	m.html(`</span></small>`)
}
