package reading

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Kind says what a value means to a person.
type Kind string

// The kinds. What is none of them is Other.
const (
	Other      Kind = ""
	Sum        Kind = "sum"        // an amount of money, if a currency stands beside it
	Identifier Kind = "identifier" // an account, a commit, an ARN, a telephone number …
	Email      Kind = "email"
	URL        Kind = "url"
	Host       Kind = "host" // a name or an IP address, perhaps with a port
	Path       Kind = "path"
	Instant    Kind = "time"
	Quantity   Kind = "quantity" // a number with a unit
)

// maxKindLength is the length above which a string is text rather than of a kind.
const maxKindLength = 2048

// KindOf recognises a value by its text, and then by its name. Whether a currency stands
// beside a sum is for the caller to look at.
func KindOf(v Value) Kind {
	switch v.Type {
	case Number:
		return kindOfNumber(v)
	case String:
		if len(v.Text) > maxKindLength || strings.Trim(v.Text, " \t\r\n") == "" {
			return Other
		}
		return kindOfString(v)
	}
	return Other
}

func kindOfNumber(v Value) Kind {
	name := wordsOf(v.Name)
	switch {
	case isSumName(name):
		return Sum
	case unitOf(name) != "":
		return Quantity
	case isInstantNumber(name, v.Text):
		return Instant
	case isIdentifierName(name) && countDigits(v.Text) >= 6 && !strings.ContainsAny(v.Text, ".eE"):
		return Identifier
	}
	return Other
}

func kindOfString(v Value) Kind {
	text, name := v.Text, wordsOf(v.Name)
	if _, err := parseInstant(text); err == nil {
		return Instant
	}
	if isDecimal(text) {
		if kind := kindOfNumber(v); kind != Other {
			return kind
		}
		if isAmountName(name) || strings.Contains(text, ".") {
			return Other
		}
	}
	switch {
	case strings.ContainsAny(text, "\n\r"):
		return Other
	case isURL(text):
		return URL
	case isEmail(text):
		return Email
	case isHost(text, name):
		return Host
	case isPath(text, name):
		return Path
	case isIdentifier(text) || isIdentifierName(name) && !strings.ContainsFunc(text, unicode.IsSpace) && utf8.RuneCountInString(text) >= 4 && !isProse(text):
		return Identifier
	}
	return Other
}

// isProse reports whether a text is a single word of letters, as a status or a label is.
func isProse(text string) bool {
	return strings.IndexFunc(text, func(r rune) bool { return !unicode.IsLetter(r) }) < 0 && len(text) < 24
}

// isIdentifier reports whether a text has the shape of an identifier: at least 6 letters
// and digits in one piece or in groups, at least 4 of them digits.
func isIdentifier(text string) bool {
	if len(text) > 256 {
		return false
	}
	digits, letters, longest, run := 0, 0, 0, 0
	for _, r := range text {
		switch {
		case r >= '0' && r <= '9':
			digits++
			run++
		case unicode.IsLetter(r):
			letters++
			run++
		case strings.ContainsRune(" -_.:/+()#@", r):
			longest, run = max(longest, run), 0
		default:
			return false
		}
	}
	longest = max(longest, run)
	if digits < 4 || digits+letters < 6 {
		return false
	}
	if letters == 0 && longest <= 4 && !strings.ContainsAny(text, " -") {
		return false // a version
	}
	return !strings.Contains(text, " ") || isGrouped(text)
}

// isGrouped reports whether each piece between blanks has a digit, or is short and in
// capitals, as in an IBAN.
func isGrouped(text string) bool {
	for piece := range strings.FieldsSeq(text) {
		if countDigits(piece) == 0 && (len(piece) > 4 || piece != strings.ToUpper(piece)) {
			return false
		}
	}
	return true
}

func countDigits(text string) (n int) {
	for i := range len(text) {
		if text[i] >= '0' && text[i] <= '9' {
			n++
		}
	}
	return n
}

// isDecimal reports whether a text is a number as JSON writes it, without an exponent.
func isDecimal(text string) bool {
	digits, point := 0, false
	for i := range len(text) {
		switch c := text[i]; {
		case c >= '0' && c <= '9':
			digits++
		case c == '-' && i == 0:
		case c == '.' && !point && digits > 0:
			point = true
		default:
			return false
		}
	}
	return digits > 0 && text[len(text)-1] != '.'
}

// isPath reports whether a text is the path of a file.
func isPath(text string, name []string) bool {
	if strings.ContainsAny(text, "<>\"|") {
		return false
	}
	for _, start := range []string{"/", "~/", "./", "../", `\\`, `.\`, `..\`} {
		if strings.HasPrefix(text, start) {
			return !strings.Contains(text, " ") || hasWord(name, pathNames)
		}
	}
	if len(text) > 2 && isLetter(text[0]) && text[1] == ':' && (text[2] == '\\' || text[2] == '/') {
		return true
	}
	return hasWord(name, pathNames) && strings.ContainsAny(text, `/\.`)
}

func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }
