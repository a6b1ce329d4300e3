package finding

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"countersign/domain/glyph"
	"countersign/domain/reading"
)

// findHidden reports characters that draw nothing or turn text around, and letters of
// another alphabet that pass for Latin in names.
func findHidden(r *Request, report func(Finding)) {
	for i := range r.Actions {
		isForeign := writesAnotherScript(r.Actions[i].Args)
		check := func(v reading.Value, text string) {
			if len(text) > maxText || isASCII(text) {
				return
			}
			say := func(says string, at int) {
				report(Finding{Kind: "hidden", Level: Stop, Action: i, Pointer: v.Pointer, Says: says, Here: around(text, at)})
			}
			if r, at := hiddenIn(text); at >= 0 {
				say(fmt.Sprintf("A character that draws nothing or reorders text stands here: U+%04X", r), at)
			} else if at := lookAlikeIn(text, isForeign); at >= 0 {
				say("A name has letters of another alphabet that pass for Latin", at)
			}
		}
		eachValue(r.Actions[i].Args, func(v reading.Value) {
			check(v, v.Name)
			if v.Type == reading.String {
				check(v, v.Text)
			}
		})
	}
}

func isASCII(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] >= utf8.RuneSelf || s[i] < ' ' && s[i] != '\n' && s[i] != '\t' && s[i] != '\r' {
			return false
		}
	}
	return true
}

// around returns a few characters on either side of a place in a text.
func around(text string, at int) string {
	from, to := at, at
	for range 40 {
		_, size := utf8.DecodeLastRuneInString(text[:from])
		from -= size
		_, size = utf8.DecodeRuneInString(text[to:])
		to += size
	}
	return text[from:to]
}

// hiddenIn returns the first character that only a mark shows and that no way of
// writing needs, or -1.
func hiddenIn(text string) (rune, int) {
	var before rune
	isTurned := strings.ContainsFunc(text, glyph.IsRightToLeft)
	isProse := strings.ContainsAny(text, " \n")
	tags, size := 0, 0
	for i := 0; i < len(text); i += size {
		var r rune
		r, size = utf8.DecodeRuneInString(text[i:])
		next, _ := utf8.DecodeRuneInString(text[i+size:])
		if hides(r) && !needs(r, before, next, isTurned, isProse, i == 0 || before == '\n', &tags) {
			return r, i
		}
		before = r
	}
	return 0, -1
}

// hides reports whether a character has to be shown as a mark. Spaces and unassigned
// characters are shown as marks too, but people use the first, and fonts know the second.
func hides(r rune) bool {
	switch {
	case r >= ' ' && r < 0x7f, r == '\n', r == '\t', r == '\r', r == '\f':
		return false
	case unicode.In(r, unicode.Cc, unicode.Cf):
		return true
	}
	return glyph.IsBlank(r) || glyph.IsOverlay(r) || r == '\u2028' || r == '\u2029'
}

var (
	joined   = []*unicode.RangeTable{unicode.Arabic, unicode.Syriac, unicode.Mongolian, unicode.Devanagari, unicode.Bengali, unicode.Gurmukhi, unicode.Gujarati, unicode.Oriya, unicode.Tamil, unicode.Telugu, unicode.Kannada, unicode.Malayalam, unicode.Sinhala, unicode.Khmer}
	unbroken = []*unicode.RangeTable{unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar, unicode.Tibetan, unicode.Han, unicode.Hiragana, unicode.Katakana}
)

// needs reports whether a way of writing has this character at this place: emoji,
// joined letters, scripts without spaces, right-to-left prose.
func needs(r, before, next rune, isTurned, isProse, isFirst bool, tags *int) bool {
	isSymbol := func(r rune) bool {
		return unicode.In(r, unicode.So, unicode.Sk, unicode.Sm, unicode.Po) && r > unicode.MaxASCII
	}
	switch {
	case r == '\ufe0f' || r == '\ufe0e':
		return isSymbol(before) || before >= 0x2100 && before < 0x2c00 || unicode.IsDigit(before) || before == '#' || before == '*'
	case r == '\u20e3':
		return unicode.IsDigit(before) || before == '\ufe0f'
	case r == '\u200d' && (isSymbol(before) || before == '\ufe0f'):
		return isSymbol(next)
	case r == '\u200c' || r == '\u200d':
		return unicode.In(before, joined...)
	case r == '\u200b':
		return unicode.In(before, unbroken...) && unicode.In(next, unbroken...)
	case r == '\u200e' || r == '\u200f' || r == '\u061c':
		return isTurned && isProse && !unicode.In(before, unicode.Cf)
	case r == '\u00ad':
		return isProse && unicode.IsLetter(before) && unicode.IsLetter(next)
	case r == '\ufeff':
		return isFirst
	case r >= 0xe0100 && r <= 0xe01ef:
		return unicode.Is(unicode.Han, before)
	case r >= 0xe0020 && r <= 0xe007f: // flags of regions
		if before == 0x1f3f4 {
			*tags = 0
		}
		*tags++
		return *tags <= 6 && (before == 0x1f3f4 || before >= 0xe0020 && before <= 0xe007f)
	case unicode.Is(unicode.Cf, r):
		return unicode.In(r, unicode.Arabic, unicode.Syriac) || r >= 0x600 && r <= 0x6ff
	}
	return unicode.In(r, unicode.Hangul, unicode.Mongolian, unicode.Khmer) && unicode.In(before, unicode.Hangul, unicode.Mongolian, unicode.Khmer)
}
