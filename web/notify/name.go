package notify

import (
	"strings"
	"unicode"

	"countersign/domain/glyph"
)

// maxName bounds a name, in characters.
const maxName = 64

// cleanName returns a name as one line of at most maxName visible characters: controls,
// what turns text around and what cannot be seen are left out.
func cleanName(name string) string {
	var text strings.Builder
	length, isSpaced := 0, false
	for _, r := range name {
		switch {
		case unicode.IsSpace(r):
			isSpaced = length > 0
			continue
		case r == unicode.ReplacementChar || !unicode.IsGraphic(r) || glyph.IsBlank(r) || glyph.IsOverlay(r):
			continue
		case length >= maxName:
			return text.String() + "…"
		case isSpaced:
			text.WriteByte(' ')
			length++
		}
		text.WriteRune(r)
		length, isSpaced = length+1, false
	}
	return text.String()
}

// inertForms are characters that look like those that begin a link, a mention or a
// format in some chat program. No program reads them as such.
var inertForms = map[rune]rune{'.': '․', ':': '꞉', '/': '∕'}

// inert returns a name that no chat program turns into anything but text. Receivers
// differ in what they read as Markdown, so the characters are replaced, not escaped.
func inert(name string) string {
	runes := []rune(cleanName(name))
	for i, r := range runes {
		isInside := i > 0 && i+1 < len(runes) && isWord(runes[i-1]) && isWord(runes[i+1])
		switch {
		case r > unicode.MaxASCII || isWord(r) && r != '_' || strings.ContainsRune(" -,'()", r):
		case r == '_' && isInside: // as in snake_case, where it formats nothing
		case inertForms[r] != 0:
			runes[i] = inertForms[r]
		default:
			runes[i] = r + '！' - '!' // its wide form
		}
	}
	return string(runes)
}

// isWord reports whether r is a letter, a digit or an underscore.
func isWord(r rune) bool { return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) }
