package finding

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"countersign/domain/reading"
)

// Limits of what the rules of structure look at.
const (
	maxText   = 256 << 10 // bytes of one string
	maxNested = 3         // commands inside commands
	maxHere   = 160       // characters of a value in a finding
	maxQuoted = 40        // characters of a name inside a sentence
)

// shortened cuts a value for a finding. The whole of it stands on the page.
func shortened(s string) string { return cut(s, maxHere) }

// quoted puts a name from the arguments into a sentence.
func quoted(name string) string { return "“" + cut(oneLine(name), maxQuoted) + "”" }

func cut(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	count := 0
	for i := range s {
		if count++; count == limit {
			if _, size := utf8.DecodeRuneInString(s[i:]); i+size < len(s) {
				return s[:i] + "…"
			}
		}
	}
	return s
}

// oneLine drops what would break a line, turn it around, hide in it or end the quotation.
func oneLine(s string) string {
	return strings.Map(func(r rune) rune {
		if r == '“' || r == '”' || r != ' ' && !unicode.In(r, unicode.L, unicode.M, unicode.N, unicode.P, unicode.S) {
			return -1
		}
		return r
	}, cut(s, 4*maxQuoted))
}

// lineWith returns the line of a text that a word stands in, from the word on if it is
// far behind. A short text of one line is returned as it is.
func lineWith(text, word string) string {
	at := strings.Index(text, word)
	if at < 0 || len(text) <= maxHere && !strings.Contains(text, "\n") {
		return text
	}
	start := strings.LastIndexByte(text[:at], '\n') + 1
	line, _, _ := strings.Cut(text[start:], "\n")
	if at-start > maxHere/2 {
		line = text[at : start+len(line)]
	}
	return strings.TrimSpace(line)
}

// eachString calls visit with every string in the arguments that is not too long.
func eachString(r *Request, visit func(action int, v reading.Value)) {
	for i := range r.Actions {
		for v := range r.Actions[i].Args.Leaves() {
			if v.Type == reading.String && len(v.Text) <= maxText {
				visit(i, v)
			}
		}
	}
}

// eachValue calls visit with v and all that it contains.
func eachValue(v reading.Value, visit func(reading.Value)) {
	visit(v)
	for _, item := range v.Items {
		eachValue(item, visit)
	}
}

// memberName returns the name of the member that a pointer leads to. An item of an array
// has the name of the array.
func memberName(pointer string) string {
	for pointer != "" {
		at := strings.LastIndexByte(pointer, '/')
		name := pointer[at+1:]
		if !isDigits(name) {
			return name
		}
		pointer = pointer[:max(at, 0)]
	}
	return ""
}

func isDigits(s string) bool {
	for i := range len(s) {
		if !isDigit(s[i]) {
			return false
		}
	}
	return s != ""
}

// settingWords splits a name such as skipTLSVerify or skip_tls_verify into lower-case words.
func settingWords(name string) []string {
	if len(name) > 100 {
		return nil
	}
	var words []string
	start := 0
	flush := func(end int) {
		if end > start {
			words = append(words, strings.ToLower(name[start:end]))
		}
	}
	for i := 0; i < len(name); i++ {
		c := name[i]
		switch {
		case c < utf8.RuneSelf && !isAlphanumeric(c):
			flush(i)
			start = i + 1
		case i > 0 && isUpper(c) && (isLower(name[i-1]) || i+1 < len(name) && isUpper(name[i-1]) && isLower(name[i+1])):
			flush(i)
			start = i
		}
	}
	flush(len(name))
	return words
}

func isUpper(c byte) bool { return c >= 'A' && c <= 'Z' }
func isLower(c byte) bool { return c >= 'a' && c <= 'z' }
func isDigit(c byte) bool { return c >= '0' && c <= '9' }

func isAlphanumeric(c byte) bool { return isUpper(c) || isLower(c) || isDigit(c) }

// hasWord reports whether one of a name's words is in the set.
func hasWord(name string, set map[string]bool) bool {
	for _, word := range settingWords(name) {
		if set[word] {
			return true
		}
	}
	return false
}

// setOf makes a set of the words of a text.
func setOf(text string) map[string]bool {
	set := map[string]bool{}
	for _, word := range strings.Fields(text) {
		set[word] = true
	}
	return set
}

// firstWord returns the letters that s begins with.
func firstWord(s string) string {
	s = strings.TrimLeft(s, " \t\r\n(")
	if end := strings.IndexFunc(s, func(r rune) bool { return !unicode.IsLetter(r) }); end >= 0 {
		return s[:end]
	}
	return s
}
