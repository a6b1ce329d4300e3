package reading

import "strings"

// lexYAML splits YAML into members' names, strings, comments and numbers. The text after
// "|" or ">" is a string, whatever it looks like.
func lexYAML(text string) []Lexeme {
	l := &lexer{grammar: grammars[JSON], text: text}
	textIndent := -1 // indentation of the member whose text goes on over lines
	for l.at < len(text) {
		end := lineEnd(text, l.at)
		line := text[l.at:end]
		indent := len(line) - len(strings.TrimLeft(line, " "))
		switch {
		case textIndent >= 0 && (indent > textIndent || strings.TrimSpace(line) == ""):
			l.take(Literal, end)
		default:
			textIndent = -1
			if l.yamlLine(end, indent) {
				textIndent = indent
			}
		}
		if end < len(text) {
			l.take(PlainCode, end+1)
		}
	}
	return l.out
}

// yamlLine takes one line, and reports whether the text of its member follows.
func (l *lexer) yamlLine(end, indent int) bool {
	l.take(PlainCode, l.at+indent)
	for strings.HasPrefix(l.text[l.at:end], "- ") {
		l.take(PlainCode, l.at+2)
	}
	rest := l.text[l.at:end]
	if strings.HasPrefix(rest, "#") {
		l.take(Comment, end)
		return false
	}
	key := strings.Index(rest+" ", ": ")
	if key > 0 && !strings.ContainsAny(rest[:key], `"'#{[ `) {
		l.take(Keyword, l.at+key)
		l.take(PlainCode, min(l.at+2, end))
		rest = l.text[l.at:end]
	}
	value, comment := rest, ""
	if !strings.ContainsAny(rest, `"'`) { // a sign within quotation marks begins no comment
		if at := strings.Index(rest, " #"); at >= 0 {
			value, comment = rest[:at], rest[at:]
		}
	}
	trimmed := strings.TrimSpace(value)
	switch {
	case isLiteral(trimmed):
		l.take(Numeral, l.at+len(value))
	case len(trimmed) > 1 && strings.IndexByte(`"'`, trimmed[0]) >= 0 && trimmed[len(trimmed)-1] == trimmed[0]:
		l.take(Literal, l.at+len(value))
	default:
		l.take(PlainCode, l.at+len(value))
	}
	if comment != "" {
		l.take(Comment, end)
	}
	return trimmed != "" && strings.IndexByte("|>", trimmed[0]) >= 0 && len(trimmed) <= 3
}
