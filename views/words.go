package views

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"countersign/domain/glyph"
)

// piece is a piece of text that looks alike from its first to its last character.
type piece struct {
	Segment
	class class
}

// class is what a piece consists of.
type class int

const (
	other        class = iota // spaces and signs
	word                      // letters, marks and numbers
	sign                      // one sign that looks like another
	turnedWord                // the same, of what is written from right to left
	turnedNumber              // its digits stand apart, to keep their place beside others
	turnedSign
)

// classOf says to what piece r belongs, if the one before is of class before.
func classOf(r rune, before class) class {
	switch {
	case glyph.IsRightToLeft(r) && unicode.IsNumber(r):
		return turnedNumber
	case glyph.IsRightToLeft(r) && (unicode.IsLetter(r) || unicode.IsMark(r)):
		return turnedWord
	case glyph.IsRightToLeft(r):
		return turnedSign
	case unicode.IsMark(r) && before == turnedWord:
		return turnedWord
	case unicode.IsLetter(r), unicode.IsMark(r), unicode.IsNumber(r):
		return word
	case passesForSign(r):
		return sign
	}
	return other
}

// words sets apart what is not what it looks like, or not in the order of its
// neighbours.
func words(s string) []Segment {
	var pieces []piece
	start, before := 0, other
	for i, r := range s {
		now := classOf(r, before)
		if i > 0 && (now != before || now == sign || now == turnedSign) {
			pieces = append(pieces, newPiece(s[start:i], before))
			start = i
		}
		before = now
	}
	pieces = append(pieces, newPiece(s[start:], before))

	var segments []Segment
	plain, at := 0, 0 // where the plain text begins that is not in a segment yet, and the piece
	for i, p := range pieces {
		if p.Kind != Plain && !(p.Kind == LookAlike && inPhrase(pieces, i)) {
			if plain < at {
				segments = append(segments, Segment{s[plain:at], Plain})
			}
			segments = append(segments, p.Segment)
			plain = at + len(p.Text)
		}
		at += len(p.Text)
	}
	if plain < at {
		segments = append(segments, Segment{s[plain:at], Plain})
	}
	return segments
}

func newPiece(text string, c class) piece {
	p := piece{Segment{text, Plain}, c}
	switch c {
	case word:
		p.Kind = judge(text)
	case sign:
		p.Kind = LookAlike
	case turnedWord, turnedSign:
		p.Kind = RightToLeft
	case turnedNumber:
		p.Kind = RightToLeftNumber
	}
	return p
}

// inPhrase reports whether the i-th piece is a letter that stands beside a word
// of another alphabet than the Latin one, as the word for "with" does in Russian.
func inPhrase(pieces []piece, i int) bool {
	r, size := utf8.DecodeRuneInString(pieces[i].Text)
	if pieces[i].class != word || size < len(pieces[i].Text) || glyph.Form(r) != "" {
		return false
	}
	foreign := func(at, space int) bool {
		return at >= 0 && at < len(pieces) && pieces[space].Text == " " && pieces[at].class == word && pieces[at].Kind == Plain &&
			!strings.ContainsFunc(pieces[at].Text, func(r rune) bool { return !unicode.IsLetter(r) || unicode.Is(unicode.Latin, r) })
	}
	return foreign(i-2, i-1) || foreign(i+2, i+1)
}

// unspaced are scripts that leave no space beside a Latin word.
var unspaced = []*unicode.RangeTable{
	unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul, unicode.Bopomofo,
	unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar, unicode.Tibetan,
}

// judge says what a word is: mixed, all look-alikes of Latin letters and ASCII
// digits, or plain. Dots and strokes on its letters tell nothing.
func judge(text string) SegmentKind {
	var latin, mixes bool
	passes := strings.ContainsFunc(text, func(r rune) bool { return glyph.Form(r) != "" })
	foreign, alike := 0, 0 // characters beyond ASCII, and those of them that look like it
	var low, high rune     // the digits
	for _, r := range norm.NFD.String(text) {
		if unicode.IsDigit(r) {
			if low == 0 {
				low, high = r, r
			}
			low, high = min(low, r), max(high, r)
		}
		if r <= unicode.MaxASCII {
			latin = latin || unicode.IsLetter(r)
			continue
		}
		if unicode.Is(unicode.Inherited, r) {
			continue
		}
		like := glyph.LookAlike(r)
		passes = passes || separates(like) && !unicode.In(r, unspaced...)
		foreign++
		if alphanumeric(like) {
			alike++
		}
		switch {
		case unicode.Is(unicode.Latin, r):
			latin = true
			passes = passes || alphanumeric(like) && len(like) == 1 && r > unicode.MaxLatin1 && r != 'ı' // as Turkish has it
		case !unicode.Is(unicode.Common, r):
			mixes = mixes || like != "" || !unicode.In(r, unspaced...)
		}
	}
	const digits = 10 // of a script, one after the other
	switch {
	case passes:
		return LookAlike
	case latin && mixes, high-low >= digits:
		return MixedScript
	case !latin && foreign > 0 && foreign == alike:
		return LookAlike
	}
	return Plain
}

// sentenceSigns are forms of ASCII signs that sentences are written with, of which
// the wide ones are East Asian.
const sentenceSigns = "，；！？（）…‼⁇⁈⁉"

// passesForSign reports whether r is another form of ASCII signs, or looks like one
// that separates the parts of an address, a path or a number. A sign for a word, as
// that of a trade mark, looks like no other.
func passesForSign(r rune) bool {
	if form := glyph.Form(r); form != "" {
		return !strings.ContainsRune(sentenceSigns, r) && (len(form) == 1 || !strings.ContainsFunc(form, unicode.IsLetter))
	}
	return separates(glyph.LookAlike(r))
}

func separates(like string) bool { return len(like) == 1 && strings.Contains(`./\:`, like) }

func alphanumeric(s string) bool {
	return s != "" && !strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
}
