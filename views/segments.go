package views

import (
	"fmt"
	"strings"
	"unicode"

	"github.com/a-h/templ"

	"countersign/domain/glyph"
)

// segmentsText is segments for SVG text, which cannot isolate directions. The style
// sheet draws all of it from left to right.
func segmentsText(s string) templ.Component {
	return component(func(m *htmlBuffer) {
		for _, segment := range Visible(s) {
			switch segment.Kind {
			case MixedScript, LookAlike:
				m.html(`<tspan class="`, segmentClasses[segment.Kind], `">`)
				m.text(segment.Text)
				m.html(`</tspan>`)
			default:
				m.text(segment.Text)
			}
		}
	})
}

// wording shows a sentence of the server that may contain names.
func wording(s string) templ.Component { return component(func(m *htmlBuffer) { m.segments(s) }) }

// segments writes text with its marks. It is not a template, because templates may
// add white space between elements.
func (m *htmlBuffer) segments(s string) {
	if isVisible(s) {
		m.text(s)
		return
	}
	m.write(Visible(s))
}

// name writes a name and marks the spaces at its ends.
func (m *htmlBuffer) name(s string, segments func(string) []Segment) {
	begin, middle, end := edges(s)
	m.write([]Segment{{begin, EdgeSpace}})
	m.write(segments(middle))
	m.write([]Segment{{end, EdgeSpace}})
}

// edges returns the spaces at both ends of a name, and what is between them.
func edges(name string) (begin, middle, end string) {
	middle = strings.Trim(name, " ")
	if middle == "" {
		return name, "", ""
	}
	begin, end, _ = strings.Cut(name, middle)
	return begin, middle, end
}

func (m *htmlBuffer) write(segments []Segment) {
	for _, segment := range segments {
		if segment.Text == "" {
			continue
		}
		tag := "span"
		switch segment.Kind {
		case Plain:
			m.text(segment.Text)
			continue
		case Invisible:
			m.html(`<span class="invisible">`)
		case RightToLeft:
			tag = "bdi"
			m.html(`<bdi class="turned" dir="rtl" title="`, titleOf(segment), `">`)
		case RightToLeftNumber:
			tag = "bdi"
			m.html(`<bdi class="turned number" dir="ltr" title="`, titleOf(segment), `">`)
		default:
			m.html(`<span class="`, segmentClasses[segment.Kind], `" title="`)
			m.text(titleOf(segment))
			m.html(`">`)
		}
		m.text(segment.Text)
		m.html(`</`, tag, `>`)
	}
}

var segmentClasses = map[SegmentKind]string{MixedScript: "mixed-script", LookAlike: "look-alike", NotASCII: "not-ascii", EdgeSpace: "edge-space"}

// titleOf explains what is unusual about a segment.
func titleOf(s Segment) string {
	switch s.Kind {
	case MixedScript:
		return "This word mixes letters or digits of different alphabets: " + codePoints(s.Text)
	case LookAlike:
		return "Looks like “" + likeness(s.Text) + "”: " + codePoints(s.Text)
	case RightToLeft:
		return "Written from right to left"
	case RightToLeftNumber:
		return "Digits of a script that is written from right to left"
	case NotASCII:
		return "Not ASCII: " + codePoints(s.Text)
	case EdgeSpace:
		return counted(len(s.Text), "space")
	}
	return ""
}

// codePoints lists the first characters of a text that are not ASCII.
func codePoints(text string) string {
	const most = 12
	var list []string
	for _, r := range text {
		if r <= unicode.MaxASCII {
			continue
		}
		if len(list) == most {
			return strings.Join(append(list, "…"), " ")
		}
		list = append(list, fmt.Sprintf("U+%04X", r))
	}
	return strings.Join(list, " ")
}

// likeness returns what a text looks like.
func likeness(text string) string {
	const most = 40
	var b strings.Builder
	for _, r := range text {
		if b.Len() >= most {
			b.WriteString("…")
			break
		}
		if like := glyph.ASCIILookAlike(r); like != "" {
			b.WriteString(like)
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}
