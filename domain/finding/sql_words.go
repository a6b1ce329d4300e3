package finding

import (
	"iter"
	"strings"
)

// A sqlWord is a word, sign or literal of an SQL text. Names keep their letters.
type sqlWord struct {
	text string // a literal has its quotation marks
	word string // a keyword or name in lower case; "" of literals and quoted names
}

// sqlWords splits SQL. It drops comments, and reads those that MySQL runs.
func sqlWords(text string) iter.Seq[sqlWord] {
	return func(yield func(sqlWord) bool) {
		for text != "" {
			size, isWord := sqlWordIn(text)
			word := sqlWord{text: text[:size]}
			if isNamePart(text[0]) {
				word.word = strings.ToLower(word.text)
			}
			if isWord && !yield(word) {
				return
			}
			text = text[size:]
		}
	}
}

// sqlWordIn returns the length of what a text begins with, and whether it is a word or
// a sign, and no comment or blank.
func sqlWordIn(text string) (size int, isWord bool) {
	switch c := text[0]; {
	case strings.HasPrefix(text, "--"), c == '#' && !strings.HasPrefix(text, "#>") && !strings.HasPrefix(text, "#-"):
		return lineOf(text), false
	case strings.HasPrefix(text, "/*!"):
		return 3 + len(text[3:]) - len(strings.TrimLeft(text[3:], "0123456789")), false
	case strings.HasPrefix(text, "/*"):
		if end := strings.Index(text[2:], "*/"); end >= 0 {
			return end + 4, false
		}
		return len(text), false
	case strings.HasPrefix(text, "*/"):
		return 2, false
	case c == '\'' || c == '"' || c == '`':
		return literal(text, c), true
	case c == '$' && dollarTag(text) != "":
		tag := dollarTag(text)
		if end := strings.Index(text[len(tag):], tag); end >= 0 {
			return end + 2*len(tag), true
		}
		return len(text), true
	case isNamePart(c):
		for size = 1; size < len(text) && isNamePart(text[size]); {
			size++
		}
		return size, true
	}
	return 1, text[0] > ' '
}

func isNamePart(c byte) bool { return c == '_' || c == '@' || c >= 0x80 || isAlphanumeric(c) }

// literal returns the length of a text in quotation marks. Doubled marks belong to it.
func literal(text string, mark byte) int {
	for i := 1; i < len(text); i++ {
		if text[i] != mark {
			continue
		}
		if i+1 < len(text) && text[i+1] == mark {
			i++
			continue
		}
		return i + 1
	}
	return len(text)
}

// dollarTag returns the tag that opens a text in dollar signs, such as $body$, or "".
func dollarTag(text string) string {
	for i := 1; i < min(len(text), 64); i++ {
		if text[i] == '$' {
			return text[:i+1]
		}
		if !isNamePart(text[i]) || isDigit(text[1]) {
			return ""
		}
	}
	return ""
}
