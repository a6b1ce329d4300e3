package reading

import (
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// compactJSON writes a value in one line, with the digits and the order that were sent.
func compactJSON(v Value) string { return string(appendJSON(nil, v, "", "", "")) }

// indentedJSON writes a value with a line for each member.
func indentedJSON(v Value) string { return string(appendJSON(nil, v, "\n", "  ", " ")) }

// appendJSON writes a value whose own line begins after end.
func appendJSON(b []byte, v Value, end, indent, gap string) []byte {
	switch v.Type {
	case String:
		return appendQuoted(b, v.Text)
	case Object, Array:
	default:
		return append(b, v.Text...)
	}
	open, closing := byte('['), byte(']')
	if v.Type == Object {
		open, closing = '{', '}'
	}
	if len(v.Items) == 0 {
		return append(b, open, closing)
	}
	b = append(b, open)
	inner := end + indent
	if len(inner) > 1+2*maxJSONIndent { // very deep: indent no further
		inner = end
	}
	for i, item := range v.Items {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, inner...)
		if v.Type == Object {
			b = append(appendQuoted(b, item.Name), ':')
			b = append(b, gap...)
		}
		b = appendJSON(b, item, inner, indent, gap)
	}
	return append(append(b, end...), closing)
}

// maxJSONIndent is the depth from which JSON is not indented further: a deep document
// would be mostly blanks.
const maxJSONIndent = 12

func appendQuoted(b []byte, text string) []byte {
	quoted, err := jsontext.AppendQuote(b, text)
	if err != nil { // not UTF-8, which Parse has replaced
		quoted, _ = jsontext.AppendQuote(b, strings.ToValidUTF8(text, "\uFFFD"))
	}
	return quoted
}
