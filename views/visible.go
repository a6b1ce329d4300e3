package views

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"countersign/domain/glyph"
)

// A Segment is a piece of text as it is shown to a person.
type Segment struct {
	Text string
	Kind SegmentKind
}

// SegmentKind tells ordinary text from marks.
type SegmentKind int

// The kinds of segments.
const (
	Plain             SegmentKind = iota
	Invisible                     // Text is a mark such as ⟦U+202E⟧ that stands for one character
	MixedScript                   // Text is a word of several alphabets, or a number of several kinds of digits
	LookAlike                     // Text is a word or a sign that passes for ASCII
	RightToLeft                   // Text is letters or a sign written from right to left
	RightToLeftNumber             // Text is digits of such a script
	NotASCII                      // Text is what else is not ASCII, in the name of a tool
	EdgeSpace                     // Text is spaces at an end of a name
)

// stack counts the combining marks that a letter carries. More than four would
// be drawn over the lines around it (UTS 39 has the same number).
type stack int

// piles adds r and reports whether it is a mark too many.
func (s *stack) piles(r rune) bool {
	if !unicode.In(r, unicode.Mn, unicode.Me) {
		*s = 0
		return false
	}
	*s++
	return *s > 4
}

// Visible splits s so that nothing in it can hide, hide what is around it, move
// it, or pass for something else. What draws nothing, reorders its neighbours,
// passes for a space or is drawn over a letter becomes a mark, and so do combining
// marks that pile up. Words of several alphabets, what looks like ASCII, and what
// is written from right to left stand apart. Joined and with its marks read back,
// the result is s. Line feeds, tabs and the ASCII space stay as they are.
func Visible(s string) []Segment {
	if s != "" && obvious(s) {
		return []Segment{{s, Plain}}
	}
	var segments []Segment
	var run strings.Builder
	flush := func() {
		if run.Len() > 0 {
			segments = append(segments, words(run.String())...)
			run.Reset()
		}
	}
	var marks stack
	for len(s) > 0 {
		r, size := utf8.DecodeRuneInString(s)
		piled := marks.piles(r)
		switch {
		case r == utf8.RuneError && size == 1:
			flush()
			segments = append(segments, Segment{fmt.Sprintf("⟦0x%02X⟧", s[0]), Invisible})
		case piled || hides(r):
			flush()
			segments = append(segments, Segment{fmt.Sprintf("⟦U+%04X⟧", r), Invisible})
		default:
			run.WriteRune(r)
		}
		s = s[size:]
	}
	flush()
	return segments
}

// VisibleName is Visible for the name of a tool, which is for programs: whatever
// is not ASCII stands apart.
func VisibleName(s string) []Segment {
	var segments []Segment
	for _, segment := range Visible(s) {
		if segment.Kind != Plain {
			segments = append(segments, segment)
			continue
		}
		for text := segment.Text; text != ""; {
			kind, end := Plain, strings.IndexFunc(text, func(r rune) bool { return r > unicode.MaxASCII })
			if end == 0 {
				kind, end = NotASCII, strings.IndexFunc(text, func(r rune) bool { return r <= unicode.MaxASCII })
			}
			if end < 0 {
				end = len(text)
			}
			segments, text = append(segments, Segment{text[:end], kind}), text[end:]
		}
	}
	return segments
}

// obvious reports whether s is nothing but ASCII and Latin-1 that show themselves,
// as most texts are: there is nothing to look for.
func obvious(s string) bool {
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c >= ' ' && c <= '~', c == '\n', c == '\t':
		case (c == 0xc2 || c == 0xc3) && i+1 < len(s): // U+0080 to U+00FF
			i++
			if c == 0xc2 && (s[i] <= 0xa0 || s[i] == 0xad) || s[i]&0xc0 != 0x80 {
				return false
			}
		default:
			return false
		}
	}
	return true
}

// hides reports whether r must be shown as a mark. Unassigned code points hide
// too: what a later font draws for them is anybody's guess.
func hides(r rune) bool {
	switch {
	case r == '\n' || r == '\t' || r >= ' ' && r <= '~':
		return false
	case glyph.Blank(r), glyph.Overlays(r):
		return true
	}
	return !unicode.In(r, unicode.L, unicode.M, unicode.N, unicode.P, unicode.S)
}
