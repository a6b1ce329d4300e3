package views

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
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
	Plain       SegmentKind = iota
	Invisible               // Text is a mark such as ⟦U+202E⟧ that stands for one character
	MixedScript             // Text is a word of look-alike alphabets
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

// Visible splits s so that nothing in it can hide, or hide what is around it:
// characters that draw nothing, reorder their neighbours or pass for a space
// become marks, and so do combining marks that pile up. Words that mix Latin
// with Cyrillic, Greek or Armenian letters stand apart. Joined and with its
// marks read back, the result is s. Line feeds, tabs and the ASCII space stay
// as they are.
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

// Hidden counts the characters of s that only a mark makes visible.
func Hidden(s string) int {
	if obvious(s) {
		return 0
	}
	n := 0
	for _, segment := range Visible(s) {
		if segment.Kind == Invisible {
			n++
		}
	}
	return n
}

// blank lists what draws nothing, or a blank, although its category says
// otherwise: variation selectors, fillers, the empty Braille cell and
// combining marks without a shape.
var blank = &unicode.RangeTable{
	R16: []unicode.Range16{
		{Lo: 0x034f, Hi: 0x034f, Stride: 1},
		{Lo: 0x115f, Hi: 0x1160, Stride: 1},
		{Lo: 0x17b4, Hi: 0x17b5, Stride: 1},
		{Lo: 0x180b, Hi: 0x180f, Stride: 1},
		{Lo: 0x2800, Hi: 0x2800, Stride: 1},
		{Lo: 0x3164, Hi: 0x3164, Stride: 1},
		{Lo: 0xfe00, Hi: 0xfe0f, Stride: 1},
		{Lo: 0xffa0, Hi: 0xffa0, Stride: 1},
	},
	R32: []unicode.Range32{
		{Lo: 0xe0000, Hi: 0xe0fff, Stride: 1},
	},
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
	case unicode.Is(blank, r):
		return true
	}
	return !unicode.In(r, unicode.L, unicode.M, unicode.N, unicode.P, unicode.S)
}

// words sets mixed-script words apart.
func words(s string) []Segment {
	var segments []Segment
	start := 0 // of the plain text not yet emitted
	word := -1 // where the current word began
	end := func(at int) {
		if word >= 0 && mixed(s[word:at]) {
			if start < word {
				segments = append(segments, Segment{s[start:word], Plain})
			}
			segments = append(segments, Segment{s[word:at], MixedScript})
			start = at
		}
		word = -1
	}
	for i, r := range s {
		letter := unicode.IsLetter(r) || unicode.IsMark(r) || unicode.IsDigit(r)
		if letter && word < 0 {
			word = i
		} else if !letter {
			end(i)
		}
	}
	end(len(s))
	if start < len(s) {
		segments = append(segments, Segment{s[start:], Plain})
	}
	return segments
}

func mixed(word string) bool {
	var latin, other bool
	for _, r := range word {
		latin = latin || unicode.Is(unicode.Latin, r)
		other = other || unicode.In(r, unicode.Cyrillic, unicode.Greek, unicode.Armenian)
	}
	return latin && other
}
