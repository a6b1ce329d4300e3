package mplp

import "bytes"

// cursor goes over the values inside an object or array, names being values
// too. What it reads is known to be well-formed, so the end of a value is found
// without looking at what is inside it; in anything else it finds some end.
type cursor struct {
	text Raw
	at   int
}

// enter is a cursor before the first value inside an object or array.
func enter(raw Raw) *cursor { return &cursor{text: raw, at: min(1, len(raw))} }

// next is the next value, nil at the end.
func (c *cursor) next() Raw {
	for c.at < len(c.text) && separates(c.text[c.at]) {
		c.at++
	}
	if c.at == len(c.text) || closes(c.text[c.at]) {
		return nil
	}
	begin := c.at
	c.at = valueEnd(c.text, begin)
	return c.text[begin:c.at:c.at]
}

func isSpace(b byte) bool { return b == ' ' || b == '\t' || b == '\n' || b == '\r' }

// separates says whether a byte may stand between two values.
func separates(b byte) bool { return isSpace(b) || b == ',' || b == ':' }

func opens(b byte) bool { return b == '{' || b == '[' }

func closes(b byte) bool { return b == '}' || b == ']' }

// valueEnd is where the value that begins at a place ends.
func valueEnd(text []byte, at int) int {
	for depth := 0; at < len(text); {
		switch b := text[at]; {
		case b == '"':
			at = stringEnd(text, at)
		case opens(b):
			at++
			depth++
		case closes(b):
			at++
			depth--
		case separates(b):
			at++
		default:
			at = literalEnd(text, at)
		}
		if depth <= 0 {
			return at
		}
	}
	return at
}

// stringEnd is where the string that begins at a place ends.
func stringEnd(text []byte, at int) int {
	for end := at + 1; ; {
		quote := bytes.IndexByte(text[end:], '"')
		if quote < 0 {
			return len(text)
		}
		end += quote
		escapes := 0
		for text[end-1-escapes] == '\\' {
			escapes++
		}
		if end++; escapes%2 == 0 {
			return end
		}
	}
}

// literalEnd is where the number or the word that begins at a place ends.
func literalEnd(text []byte, at int) int {
	for at++; at < len(text) && !separates(text[at]) && !closes(text[at]); {
		at++
	}
	return at
}
