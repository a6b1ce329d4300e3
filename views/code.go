package views

import (
	"slices"
	"strconv"
	"strings"

	"github.com/a-h/templ"

	"countersign/domain/reading"
)

// linesPerBlock is how many of very many lines a browser lays out together. Blocks out of
// sight wait until they are scrolled into view, so very many lines show as fast as few.
// The style sheet relies on this number for the height.
const linesPerBlock = 100

// linesAtOnce is how many lines are laid out at once. A capture of a whole page has them
// all: what waits to be scrolled into view would be blank in it.
const linesAtOnce = 2000

// fourDigits is the last line number that fits beside the code.
const fourDigits = 9999

// foldFromLines is the number of lines above which a link leads to the end.
const foldFromLines = 60

// lineCount returns how many lines Code needs for JSON.
func lineCount(json string) int { return strings.Count(Indent(json), "\n") + 1 }

// grouped formats a number with separators: 100,004.
func grouped(n int) string {
	digits := strconv.Itoa(n)
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}

// Code shows JSON in numbered lines that wrap. Copied text does not include the
// numbers.
func Code(json string) templ.Component {
	return component(func(m *htmlBuffer) {
		lines := codeLines(json)
		if len(lines) > fourDigits {
			m.html(`<div class="code long" hx-ignore dir="ltr">`)
		} else {
			m.html(`<div class="code" hx-ignore dir="ltr">`)
		}
		m.blocks(len(lines), func(i int) {
			m.lineNumber(i + 1)
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

// Diff shows two JSON texts as one, with − before removed and + before added
// lines. A long one counts its changes and links to each, so that none is
// overlooked. name makes the ids unique on the page.
func Diff(name, before, after string) templ.Component {
	return component(func(m *htmlBuffer) {
		lines := reading.Compare(strings.Split(Indent(before), "\n"), strings.Split(Indent(after), "\n"))
		at := changesAt(lines)
		if len(lines) > foldFromLines {
			m.changes(name, len(at), len(lines))
		}
		m.html(`<div class="diff" hx-ignore dir="ltr">`)
		m.blocks(len(lines), func(i int) {
			m.html(`<li`)
			if n, begins := slices.BinarySearch(at, i); begins {
				m.html(` id="`, changeID(name, n), `"`)
			}
			m.html(linePrefixes[lines[i].Op])
			line := splitLine(lines[i].Text)
			m.codeLine(line)
			m.reading(line)
			m.html(`</li>`)
		})
		m.html(`</div>`)
		c := countsOf(before, after)
		for _, line := range lines {
			c.name(splitLine(line.Text).name())
		}
		m.legend(c)
	})
}

// changesAt returns the lines at which a change begins.
func changesAt(lines []reading.Line) (at []int) {
	for i, line := range lines {
		if line.Op != ' ' && (i == 0 || lines[i-1].Op == ' ') {
			at = append(at, i)
		}
	}
	return at
}

func changeID(name string, n int) string { return "change-" + name + "-" + strconv.Itoa(n+1) }

// changesNamed limits how many changes a Diff links to.
const changesNamed = 50

// changes links to the changes of a Diff with so many lines.
func (m *htmlBuffer) changes(name string, n, lines int) {
	m.html(`<p class="hint depends"><span>`, counted(n, "change"), ` in `, grouped(lines), ` lines: go to</span>`)
	for i := range min(n, changesNamed) {
		m.html(`<a href="#`, changeID(name, i), `"><span class="sr-only">change </span>`, strconv.Itoa(i+1), `</a>`)
	}
	if n > changesNamed {
		m.html(`<span>and more</span>`)
	}
	m.html(`</p>`)
}

// opened has how lines of a Diff begin. The style sheet adds the marks.
var linePrefixes = map[byte]string{
	' ': `>`,
	'-': ` class="removed"><span class="sr-only">removed: </span>`,
	'+': ` class="added"><span class="sr-only">added: </span>`,
}

// blocks writes n items of a list, very many of them in blocks.
func (m *htmlBuffer) blocks(n int, item func(i int)) {
	open, end := `<ol>`, `</ol>`
	perList := n
	if n > linesAtOnce {
		open, end, perList = `<div class="block"><ol>`, `</ol></div>`, linesPerBlock
	}
	for i := range n {
		if i%perList == 0 {
			m.html(open)
		}
		item(i)
		if i%perList == perList-1 || i == n-1 {
			m.html(end)
		}
	}
}

// codeLine writes one line of JSON and highlights the member's name.
func (m *htmlBuffer) codeLine(line codeText) {
	m.html(line.indent)
	if line.key != "" {
		m.html(`<b>"`)
		m.name(line.name(), Visible)
		m.html(`"</b>`)
	}
	m.exact(line.rest, inLine)
}

// reading shows beside a line the characters that its escapes stand for.
func (m *htmlBuffer) reading(line codeText) {
	text := spelled(line.key + line.rest)
	if text == "" {
		return
	}
	m.html(`<small class="reading">reads <span>`)
	m.codeLine(splitLine(text))
	m.html(`</span></small>`)
}
