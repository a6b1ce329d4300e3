package views

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"countersign/domain/glyph"
)

// piece is a part of a text whose characters are all of one class.
type piece struct {
	Segment
	class class
}

// class is the kind of characters in a piece.
type class int

const (
	other        class = iota // spaces and signs
	word                      // letters, marks and numbers
	sign                      // one sign that looks like another
	turnedWord                // a word written from right to left
	turnedNumber              // digits of a right-to-left script, kept apart to stay in place
	turnedSign
)

// classOf returns the class of r, given the class of the character before it.
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

// words splits s so that look-alikes and right-to-left text are segments of their
// own.
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
	plain, at := 0, 0 // start of the plain text that is not in a segment yet, and of the piece
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

// inPhrase reports whether the i-th piece is a letter beside a word in a non-Latin
// alphabet, like the Russian word for "with".
func inPhrase(pieces []piece, i int) bool {
	r, size := utf8.DecodeRuneInString(pieces[i].Text)
	if pieces[i].class != word || size < len(pieces[i].Text) || glyph.ASCIIForm(r) != "" {
		return false
	}
	foreign := func(at, space int) bool {
		return at >= 0 && at < len(pieces) && pieces[space].Text == " " && pieces[at].class == word && pieces[at].Kind == Plain &&
			!strings.ContainsFunc(pieces[at].Text, func(r rune) bool { return !unicode.IsLetter(r) || unicode.Is(unicode.Latin, r) })
	}
	return foreign(i-2, i-1) || foreign(i+2, i+1)
}

// unspaced has the scripts that put no space beside a Latin word.
var unspaced = []*unicode.RangeTable{
	unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul, unicode.Bopomofo,
	unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar, unicode.Tibetan,
}

// judge returns the kind of a word: mixed alphabets, all look-alikes of Latin
// letters and ASCII digits, or plain. It ignores dots and strokes on letters.
func judge(text string) SegmentKind {
	var latin, mixes bool
	passes := strings.ContainsFunc(text, func(r rune) bool { return glyph.ASCIIForm(r) != "" })
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
		like := glyph.ASCIILookAlike(r)
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

// sentenceSigns has variants of ASCII punctuation that ordinary sentences use. The
// wide ones are East Asian.
const sentenceSigns = "，；！？（）…‼⁇⁈⁉"

// passesForSign reports whether r is a variant of an ASCII sign, or looks like one
// that separates parts of an address, a path or a number. Signs for words, such as
// the trade mark, do not count.
func passesForSign(r rune) bool {
	if form := glyph.ASCIIForm(r); form != "" {
		return !strings.ContainsRune(sentenceSigns, r) && (len(form) == 1 || !strings.ContainsFunc(form, unicode.IsLetter))
	}
	return separates(glyph.ASCIILookAlike(r))
}

func separates(like string) bool { return len(like) == 1 && strings.Contains(`./\:`, like) }

func alphanumeric(s string) bool {
	return s != "" && !strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
}
