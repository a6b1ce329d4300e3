package views

import (
	"unicode"
	"unicode/utf8"

	"github.com/a-h/templ"
)

// Finding is something that the server points out to the reviewer. Says is the server's
// sentence. Here and There are quoted from the request.
type Finding struct {
	Level    string // stop, look or note
	Says     string
	Here     string
	There    string
	Where    string // where There stands
	URLThere string // of another request that it is about
	Action   int    // index; -1: the request as a whole
	URL      string // of its row on the page; empty if it has none
	AtRow    bool   // the acknowledgement stands below that row

	// Of a finding that has to be acknowledged:
	Field        string // name of the checkbox
	Key          string // its value
	Acknowledged bool
}

// differs returns where two values that are alike differ, as indexes of bytes: from their
// first letter or digit that differs to the last. Blanks and signs between letters do not
// count. It returns false for values that are not alike.
func differs(here, there string) (a, b [2]int, found bool) {
	x, y := lettersAt(here), lettersAt(there)
	if len(x) != len(y) || len(x) < 3 {
		return a, b, false
	}
	first, last := -1, -1
	for i := range x {
		if x[i].r == y[i].r {
			continue
		}
		if first < 0 {
			first = i
		}
		last = i
	}
	if first < 0 || last-first >= len(x)-1 {
		return a, b, false
	}
	return [2]int{x[first].at, x[last].end}, [2]int{y[first].at, y[last].end}, true
}

// letterAt is a letter or digit, and where it stands in a text.
type letterAt struct {
	r       rune
	at, end int
}

func lettersAt(text string) (letters []letterAt) {
	for at, r := range text {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			letters = append(letters, letterAt{unicode.ToLower(r), at, at + utf8.RuneLen(r)})
		}
	}
	return letters
}

// quotedDifference is AgentQuoted with the part set off that differs from another value.
func quotedDifference(value string, part [2]int, found bool) templ.Component {
	if !found {
		return AgentQuoted(value)
	}
	return component(func(m *htmlBuffer) {
		m.html(`<q class="said"><span class="agent-inline" hx-ignore dir="ltr">`)
		m.segments(value[:part[0]])
		m.html(`<mark>`)
		m.segments(value[part[0]:part[1]])
		m.html(`</mark>`)
		m.segments(value[part[1]:])
		m.html(`</span></q>`)
	})
}
