package views

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// Indent formats JSON over several lines. It changes only white space between
// tokens. Numbers, escapes, the order of members and duplicates stay the same.
// Text that is not JSON is returned unchanged.
func Indent(raw string) string {
	var buf bytes.Buffer
	if json.Indent(&buf, []byte(raw), "", "  ") != nil {
		return raw
	}
	return buf.String()
}

// codeText is one line of indented JSON.
type codeText struct {
	indent, key, rest string
}

// name is the member's name without its quotation marks.
func (t codeText) name() string { return strings.TrimSuffix(strings.TrimPrefix(t.key, `"`), `"`) }

func codeLines(raw string) []codeText {
	lines := strings.Split(Indent(raw), "\n")
	texts := make([]codeText, len(lines))
	for i, line := range lines {
		texts[i] = splitLine(line)
	}
	return texts
}

// splitLine finds the member's name at the beginning of a line, if it has one.
func splitLine(line string) codeText {
	body := strings.TrimLeft(line, " ")
	text := codeText{indent: line[:len(line)-len(body)], rest: body}
	if !strings.HasPrefix(body, `"`) {
		return text
	}
	for i := 1; i < len(body); i++ {
		switch body[i] {
		case '\\':
			i++
		case '"':
			if strings.HasPrefix(body[i+1:], ":") {
				text.key, text.rest = body[:i+1], body[i+1:]
			}
			return text
		}
	}
	return text
}

// spelled returns a line of JSON with its escapes replaced by characters, for
// people: many programs escape every letter outside ASCII. Invisible characters
// and those that need an escape keep it, so the line still means the same. It
// returns "" if there is nothing to replace.
func spelled(line string) string {
	if !strings.Contains(line, `\u`) {
		return ""
	}
	var b strings.Builder
	found := false
	for line != "" {
		size := 1
		if line[0] == '\\' {
			r, length := escaped(line)
			if length > 0 && r >= ' ' && r != '"' && r != '\\' && !isInvisible(r) {
				b.WriteRune(r)
				line, found = line[length:], true
				continue
			}
			size = min(2, len(line)) // of \\ the second begins no escape
		}
		b.WriteString(line[:size])
		line = line[size:]
	}
	if !found {
		return ""
	}
	return b.String()
}

// escaped reads the \u escape, or surrogate pair, at the start of a text. The
// length is 0 if there is none, or only half a pair.
func escaped(text string) (r rune, length int) {
	unit := func(text string) rune {
		if len(text) < 6 || text[:2] != `\u` {
			return utf8.RuneError
		}
		n, err := strconv.ParseUint(text[2:6], 16, 16)
		if err != nil {
			return utf8.RuneError
		}
		return rune(n)
	}
	switch r = unit(text); {
	case r == utf8.RuneError:
		return r, 0
	case !utf16.IsSurrogate(r):
		return r, 6
	}
	if r = utf16.DecodeRune(r, unit(text[6:])); r == utf8.RuneError {
		return r, 0
	}
	return r, 12
}
