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

// stack counts the combining marks of a letter. More than four would cover the lines
// around it (UTS 39 has the same number).
type stack int

// isTooMany adds r and reports whether it is a mark too many.
func (s *stack) isTooMany(r rune) bool {
	if !unicode.In(r, unicode.Mn, unicode.Me) {
		*s = 0
		return false
	}
	*s++
	return *s > 4
}

// Visible splits s into segments, so that no text can hide, reorder or imitate
// other text. Characters that are invisible, reorder their neighbours, look like a
// space or cover a letter become marks, and so do too many combining marks. Words
// of several alphabets, look-alikes of ASCII, and right-to-left text become
// segments of their own. The segments, with marks read back, are s. Line feeds,
// tabs and ASCII spaces stay.
func Visible(s string) []Segment {
	if s != "" && isVisible(s) {
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
		piled := marks.isTooMany(r)
		switch {
		case r == utf8.RuneError && size == 1:
			flush()
			segments = append(segments, Segment{fmt.Sprintf("⟦0x%02X⟧", s[0]), Invisible})
		case piled || isInvisible(r):
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

// VisibleName is Visible for the name of a tool, which is for programs. Everything
// outside ASCII becomes a segment of its own.
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

// obvious reports whether s has only visible ASCII and Latin-1, as most texts do.
func isVisible(s string) bool {
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

// isInvisible reports whether r must be shown as a mark. This includes unassigned code
// points: nobody knows what a later font draws for them.
func isInvisible(r rune) bool {
	switch {
	case r == '\n' || r == '\t' || r >= ' ' && r <= '~':
		return false
	case glyph.IsBlank(r), glyph.IsOverlay(r):
		return true
	}
	return !unicode.In(r, unicode.L, unicode.M, unicode.N, unicode.P, unicode.S)
}
