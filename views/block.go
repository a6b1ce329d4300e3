package views

import (
	"strconv"
	"strings"

	"countersign/domain/reading"
)

// sent draws a text as it was sent, or the JSON of a deep object. It is closed where the
// difference below has all of it.
func (m *rowsBuffer) sent(block reading.Block) {
	kind := `data-sent="json"`
	if block.IsSent {
		kind = `data-sent="text"`
	}
	if block.IsFolded {
		m.html(`<details class="row-block" `, kind, `><summary class="inferred">As sent</summary>`)
		m.lines(block)
		m.html(`</details>`)
		return
	}
	m.html(`<div class="row-block" `, kind, `>`)
	m.lines(block)
	m.html(`</div>`)
}

// read draws what the server reads in a text. It repeats what was sent, or decodes it.
func (m *rowsBuffer) read(block reading.Block) {
	m.html(`<div class="row-block row-reading"><p class="inferred">Read by Countersign: `)
	m.text(block.Title)
	m.html(`</p>`)
	if block.Text != "" || block.Lines != nil {
		m.lines(block)
	}
	m.html(`</div>`)
}

// lines draws a block's lines with numbers, or with the signs of a difference.
func (m *rowsBuffer) lines(block reading.Block) {
	m.marks.text(block.Text)
	switch {
	case block.Lines != nil && block.IsUnified:
		m.html(`<div class="diff signed" hx-ignore dir="ltr">`)
		m.blocks(len(block.Lines), func(i int) { m.diffLine(block.Lines[i], signed(i, block.Lines)) })
	case block.Lines != nil:
		m.html(`<div class="diff" hx-ignore dir="ltr">`)
		m.blocks(len(block.Lines), func(i int) { m.diffLine(block.Lines[i], unsigned) })
	default:
		m.textLines(block)
	}
	m.html(`</div>`)
}

// textLines draws the lines of a text. Where it ends with the end of a line, the empty
// line after it has no number.
func (m *rowsBuffer) textLines(block reading.Block) {
	lines := strings.Split(block.Text, "\n")
	switch {
	case len(lines) > fourDigits:
		m.html(`<div class="code long" hx-ignore dir="ltr">`)
	case len(lines) == 1:
		m.html(`<div class="code single" hx-ignore dir="ltr">`)
	default:
		m.html(`<div class="code" hx-ignore dir="ltr">`)
	}
	c := colours{lexemes: block.Lexemes}
	empty := emptyRuns(lines)
	m.blocks(len(lines), func(i int) {
		if i > 0 && i == len(lines)-1 && lines[i] == "" {
			m.html(`<li class="end">`)
		} else {
			m.lineNumber(i + 1)
		}
		m.emptyLines(empty[i])
		m.coloured(lines[i], &c)
		c.skip() // the end of the line
		m.html(`</li>`)
	})
}

// emptyRuns returns the length of each run of empty lines that needs a mark, by the line
// at which it begins.
func emptyRuns(lines []string) map[int]int {
	runs := map[int]int{}
	for i := 0; i < len(lines); i++ {
		start := i
		for i < len(lines) && strings.Trim(lines[i], " \t") == "" {
			i++
		}
		if i-start >= manyEmptyLines {
			runs[start] = i - start
		}
	}
	return runs
}

// emptyLines says how many empty lines begin here.
func (m *htmlBuffer) emptyLines(n int) {
	if n > 0 {
		m.html(`<span class="blanks" data-mark="⟦`, grouped(n), ` empty lines⟧"></span>`)
	}
}

// colours is where in its lexemes the drawing of a text is.
type colours struct {
	lexemes []reading.Lexeme
	used    int // bytes of the first
}

// skip leaves out one byte.
func (c *colours) skip() { c.take(1) }

// take returns the class of what comes next, and how many of n bytes have it.
func (c *colours) take(n int) (reading.Class, int) {
	for len(c.lexemes) > 0 && c.used == c.lexemes[0].Length {
		c.lexemes, c.used = c.lexemes[1:], 0
	}
	if len(c.lexemes) == 0 {
		return reading.PlainCode, n
	}
	n = min(n, c.lexemes[0].Length-c.used)
	c.used += n
	return c.lexemes[0].Class, n
}

var classes = map[reading.Class]string{reading.Keyword: `<span class="keyword">`, reading.Literal: `<span class="literal">`, reading.Comment: `<span class="comment">`, reading.Numeral: `<span class="numeral">`}

// coloured writes one line, in the colours of its lexemes.
func (m *htmlBuffer) coloured(line string, c *colours) {
	if line == "" {
		m.html(`<br>`) // so that a copy has the line
		return
	}
	for at := 0; at < len(line); {
		class, n := c.take(len(line) - at)
		edge := inLine
		if at == 0 {
			edge = atIndent
		}
		m.html(classes[class])
		m.exact(line[at:at+n], edge)
		if class != reading.PlainCode {
			m.html(`</span>`)
		}
		at += n
	}
}

// diffClasses are the classes of lines by what becomes of them.
var diffClasses = map[byte]string{'-': "removed", '+': "added", '@': "where"}

// signing says whether the signs of a difference are part of what was sent.
type signing int

const (
	unsigned signing = iota // the style sheet draws them
	sent                    // as in a unified diff
	ending                  // sent, and this is the empty line after the last
)

// signed says what the i-th line of a unified diff is.
func signed(i int, lines []reading.Line) signing {
	if i == len(lines)-1 && lines[i].Text == "" && lines[i].Op == '@' {
		return ending
	}
	return sent
}

// diffLine writes a line of a difference.
func (m *htmlBuffer) diffLine(line reading.Line, signs signing) {
	m.html(`<li class="`, diffClasses[line.Op])
	if signs == ending {
		m.html(` end`)
	}
	if line.IsDim {
		m.html(` dim`)
	}
	m.html(`">`)
	switch {
	case signs == sent && line.Op != '@':
		m.html(`<span class="sign">`, string(line.Op), `</span>`)
	case line.Op == '-':
		m.html(`<span class="sr-only">removed: </span>`)
	case line.Op == '+':
		m.html(`<span class="sr-only">added: </span>`)
	}
	if line.Text == "" {
		m.html(`<br>`)
	}
	m.exact(line.Text[:line.From], atIndent)
	if line.To > line.From {
		m.html(`<mark>`)
		m.exact(line.Text[line.From:line.To], inLine)
		m.html(`</mark>`)
	}
	edge := inLine // without a change all of the line follows
	if line.To == 0 {
		edge = atIndent
	}
	m.exact(line.Text[line.To:], edge)
	m.html(`</li>`)
}

// lineNumber begins a numbered line. The number is no list counter: Chromium counts
// those wrongly while a page loads in parts.
func (m *htmlBuffer) lineNumber(n int) {
	m.html(`<li data-line="`)
	m.buf = strconv.AppendInt(m.buf, int64(n), 10)
	m.html(`">`)
}
