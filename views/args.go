package views

import (
	"bytes"
	"encoding/json"
	"strings"
)

// Indent lays JSON out over lines. Only white space between tokens changes:
// numbers, escapes, the order of members and repeated members stay as they
// were written. What is not JSON comes back as it is.
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
