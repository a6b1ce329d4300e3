package policy

import (
	"regexp"
	"strconv"
	"strings"
)

// syntaxFault is what the parser says of text that is no CEL: what it found, and what
// may stand there.
var syntaxFault = regexp.MustCompile(`(?s)^Syntax error: (?:(?:mismatched|extraneous) input|no viable alternative at input|token recognition error at:|missing '(.*)' at) '(.*?)'(?: expecting (.*))?$`)

// operatorHints are what people write who know another language.
var operatorHints = map[string]string{"=": "==", "and": "&&", "or": "||", "&": "&&", "|": "||", "<>": "!="}

// wordSyntaxFault says what was found and what is needed. The parser lists every token
// that may stand there. Other messages are returned as they are.
func wordSyntaxFault(message string) string {
	fault := syntaxFault.FindStringSubmatch(message)
	if fault == nil {
		return strings.TrimPrefix(message, "Syntax error: ")
	}
	found, needed := strings.TrimSpace(fault[2]), fault[1]
	switch allowed := strings.Trim(fault[3], "{}"); {
	case strings.Contains(allowed, "IDENTIFIER"):
		needed = "a value"
	case allowed != "<EOF>" && allowed != "":
		needed = strings.NewReplacer("'", "", ", ", " or ").Replace(allowed)
	}
	text := "found " + strconv.Quote(shorten(found, 40))
	if found == "<EOF>" {
		text = "the condition ends"
	}
	switch hint := operatorHints[strings.ToLower(found)]; {
	case hint != "":
		return text + "; write " + hint
	case needed != "":
		return text + " where " + needed + " is needed"
	case strings.HasPrefix(found, "'") || strings.HasPrefix(found, `"`):
		return text + ", a text without an end, or with an escape that there is not"
	}
	return text + ", which cannot stand there"
}
