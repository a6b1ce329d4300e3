package views

import (
	"strconv"
	"strings"
	"unicode"

	"github.com/a-h/templ"
)

// counts has how many marks of each kind a text needs.
type counts struct {
	invisible, letters, digits, others, notASCII, spaces int
}

func (c *counts) add(segments []Segment) {
	for _, s := range segments {
		switch s.Kind {
		case Invisible:
			c.invisible++
		case MixedScript, LookAlike:
			c.others++
		case RightToLeft:
			c.letters += lettersOf(s.Text)
		case RightToLeftNumber:
			c.digits += lettersOf(s.Text)
		case NotASCII:
			c.notASCII += lettersOf(s.Text)
		case EdgeSpace:
			c.spaces += len(s.Text)
		}
	}
}

// lettersOf counts characters without their combining marks.
func lettersOf(text string) (n int) {
	for _, r := range text {
		if !unicode.IsMark(r) {
			n++
		}
	}
	return n
}

// countsOf counts the marks of some texts.
func countsOf(texts ...string) (c counts) {
	c.text(texts...)
	return c
}

// text adds the marks of a text.
func (c *counts) text(texts ...string) {
	for _, text := range texts {
		if !isVisible(text) {
			c.add(Visible(text))
		}
	}
}

// words explains the marks in words.
func (c *counts) words() string {
	var list []string
	say := func(n int, one, many, what string) {
		if n == 1 {
			list = append(list, "1 "+one+what)
		} else if n > 1 {
			list = append(list, strconv.Itoa(n)+" "+many+what)
		}
	}
	say(c.invisible, "invisible character", "invisible characters", ", marked above")
	say(c.letters, "right-to-left letter", "right-to-left letters", ": words are in the order in which they are stored")
	say(c.digits, "right-to-left digit", "right-to-left digits", ", in the order in which they are stored")
	say(c.others, "word or sign looks", "words or signs look", " like something else, underlined above")
	say(c.notASCII, "character of a name is", "characters of names are", " not ASCII, underlined above")
	say(c.spaces, "space at an end of a name", "spaces at the ends of names", ", marked above")
	return strings.Join(list, "; ")
}

// legend explains below a text what is marked in it.
func (m *htmlBuffer) legend(c counts) {
	words := c.words()
	if words == "" {
		return
	}
	m.html(`<p class="hidden-count">`)
	m.icon("warning")
	m.html(`<span>`, words, `</span></p>`)
}

// legend explains the marks of texts within a line, where there is no room.
func legend(texts ...string) templ.Component {
	return component(func(m *htmlBuffer) { m.legend(countsOf(texts...)) })
}

// toolLegend explains the marks of tool names.
func toolLegend(names ...string) templ.Component {
	return component(func(m *htmlBuffer) {
		var c counts
		c.tools(names...)
		m.legend(c)
	})
}

func (c *counts) tools(names ...string) {
	for _, name := range names {
		c.name(name)
		c.add(VisibleName(strings.Trim(name, " ")))
	}
}

// name adds the marks of a name, including spaces at its ends.
func (c *counts) name(s string) { c.spaces += len(s) - len(strings.Trim(s, " ")) }
