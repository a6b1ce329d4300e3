package views

import "strings"

// From so many on, blanks and empty lines are counted in a mark: what stands behind them
// is easily overlooked. Indentation needs more.
const (
	manyBlanks     = 8
	manyIndented   = 40
	manyEmptyLines = 3
)

// edge says where a piece of text stands.
type edge int

const (
	inLine   edge = iota // somewhere in a line
	atIndent             // at the beginning of a line, where blanks are indentation
	atEdge               // alone: a name or a short value, in which ends of lines are marked
)

// exact writes text with all marks: those of segments, and of many blanks. The blanks
// stay, so that a copy has them.
func (m *htmlBuffer) exact(s string, at edge) {
	if at == atEdge {
		m.exactName(s)
		return
	}
	done := 0
	for i := 0; i < len(s); {
		start := i
		for i < len(s) && (s[i] == ' ' || s[i] == '\t') {
			i++
		}
		many := manyBlanks
		if at == atIndent && start == 0 {
			many = manyIndented
		}
		if i-start >= many {
			m.segments(s[done:start])
			m.blanks(s[start:i], counted(i-start, "blank"))
			done = i
		}
		for i < len(s) && s[i] != ' ' && s[i] != '\t' {
			i++
		}
	}
	m.segments(s[done:])
}

// exactName writes a short text, in which the spaces at its ends and all ends of lines
// are marked.
func (m *htmlBuffer) exactName(s string) {
	begin, middle, end := edges(s)
	m.edgeBlanks(begin)
	for i, line := range strings.Split(middle, "\n") {
		if i > 0 {
			m.blanks("\n", "end of line")
		}
		m.exact(line, inLine)
	}
	m.edgeBlanks(end)
}

func (m *htmlBuffer) edgeBlanks(s string) {
	if s != "" {
		m.blanks(s, counted(len(s), "blank"))
	}
}

// blanks writes white space behind a mark that the style sheet draws and nobody copies.
func (m *htmlBuffer) blanks(s, says string) {
	m.html(`<span class="blanks" data-mark="⟦`, says, `⟧">`, s, `</span>`)
}
