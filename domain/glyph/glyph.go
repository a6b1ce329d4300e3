// Package glyph says what characters look like, by Unicode's own data: which
// draw nothing, are drawn over others, turn text around, or pass for ASCII.
//
// The table of look-alikes is that of go.mau.fi/util/confusable, which generates
// it from Unicode's confusables.txt. It adds 300 KB to the program and no work
// at its start.
package glyph

import (
	"unicode"

	"go.mau.fi/util/confusable"
	"golang.org/x/text/unicode/bidi"
	"golang.org/x/text/unicode/norm"
)

// blank lists characters that draw nothing although no Unicode property says so.
var blank = &unicode.RangeTable{
	R16: []unicode.Range16{
		{Lo: 0x2800, Hi: 0x2800, Stride: 1}, // the empty Braille cell
		{Lo: 0xfffc, Hi: 0xfffc, Stride: 1}, // stands for an object that is not there
	},
	R32: []unicode.Range32{
		{Lo: 0x13441, Hi: 0x13442, Stride: 1}, // blanks between hieroglyphs
		{Lo: 0x16fe4, Hi: 0x16fe4, Stride: 1}, // the filler of the Khitan small script
		{Lo: 0x1d159, Hi: 0x1d159, Stride: 1}, // the musical note without a head
	},
}

// IsBlank reports whether r draws nothing although it is a letter, mark or symbol. It
// is not about controls and spaces.
func IsBlank(r rune) bool {
	return r > unicode.MaxLatin1 && unicode.In(r, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector, blank)
}

// IsOverlay reports whether r is drawn over or around the letter before it, such as a
// strike-through.
func IsOverlay(r rune) bool {
	const overlay = 1 // the combining class of such marks
	if r <= unicode.MaxLatin1 || !unicode.Is(unicode.M, r) {
		return false
	}
	return unicode.Is(unicode.Me, r) || norm.NFC.PropertiesString(string(r)).CCC() == overlay
}

// IsRightToLeft reports whether r is written from right to left, or is a digit of such
// a script. Both reorder the text beside them.
func IsRightToLeft(r rune) bool {
	if r < 0x590 {
		return false
	}
	p, _ := bidi.LookupRune(r)
	switch p.Class() {
	case bidi.R, bidi.AL, bidi.AN:
		return true
	}
	return false
}

// ASCIIForm returns the ASCII text of which r is a variant, such as a bold or a wide
// letter, or "".
func ASCIIForm(r rune) string {
	if r <= unicode.MaxLatin1 {
		return ""
	}
	return ascii(string(norm.NFKC.PropertiesString(string(r)).Decomposition()))
}

// ASCIILookAlike returns the ASCII text that r looks like, or "".
func ASCIILookAlike(r rune) string {
	if r <= unicode.MaxLatin1 {
		return ""
	}
	if form := ASCIIForm(r); form != "" {
		return form
	}
	return ascii(confusable.GetReplacement(r))
}

// ascii returns s if it consists of visible ASCII characters, or else "".
func ascii(s string) string {
	for _, r := range s {
		if r <= ' ' || r > '~' {
			return ""
		}
	}
	return s
}
