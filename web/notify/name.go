package notify

import (
	"strings"
	"unicode"

	"countersign/domain/glyph"
)

const (
	// maxName bounds a name, in characters.
	maxName = 64
	// maxNameBytes bounds how much of a name is looked at: most may be invisible.
	maxNameBytes = 1 << 10
)

// cleanName returns a name as one line of at most maxName visible characters: controls,
// what turns text around and what cannot be seen are left out.
func cleanName(name string) string {
	var text strings.Builder
	length, isSpaced := 0, false
	for _, r := range name[:min(len(name), maxNameBytes)] {
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

// inertForms are characters that look like those that begin a link.
var inertForms = map[rune]rune{'.': '․', ':': '꞉', '/': '∕'}

// inert returns a name that no chat program takes for a link, a mention or a format.
// Receivers differ in what they read, so characters are replaced, not escaped.
func inert(name string) string {
	runes := []rune(cleanName(name))
	for i, r := range runes {
		switch {
		case r > unicode.MaxASCII || isAlphanumeric(r) || strings.ContainsRune(" -,'()", r):
		case r == '_' && isInsideWord(runes, i): // as in snake_case, where it formats nothing
		case r == '.' && (i+1 == len(runes) || !isAlphanumeric(runes[i+1])):
		case inertForms[r] != 0:
			runes[i] = inertForms[r]
		default:
			runes[i] = r + '！' - '!' // its wide form
		}
	}
	return string(runes)
}

// isInsideWord reports whether the underscores around i have letters or digits on both
// sides.
func isInsideWord(runes []rune, i int) bool {
	first, last := i, i
	for first > 0 && runes[first] == '_' {
		first--
	}
	for last < len(runes)-1 && runes[last] == '_' {
		last++
	}
	return isAlphanumeric(runes[first]) && isAlphanumeric(runes[last])
}

func isAlphanumeric(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }
