package mplp

import "bytes"

// cursor iterates over the values inside an object or array, where names are values
// too. The text must be well-formed, so that the end of a value is found without
// parsing it.
type cursor struct {
	text Raw
	at   int
}

// newCursor returns a cursor before the first value inside an object or array.
func newCursor(raw Raw) *cursor { return &cursor{text: raw, at: min(1, len(raw))} }

// next returns the next value, nil at the end.
func (c *cursor) next() Raw {
	for c.at < len(c.text) && isSeparator(c.text[c.at]) {
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

// isSeparator reports whether a byte may be between two values.
func isSeparator(b byte) bool { return isSpace(b) || b == ',' || b == ':' }

func opens(b byte) bool { return b == '{' || b == '[' }

func closes(b byte) bool { return b == '}' || b == ']' }

// valueEnd returns the end of the value that starts at a position.
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
		case isSeparator(b):
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

// stringEnd returns the end of the string that starts at a position.
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

// literalEnd returns the end of the number or word that starts at a position.
func literalEnd(text []byte, at int) int {
	for at++; at < len(text) && !isSeparator(text[at]) && !closes(text[at]); {
		at++
	}
	return at
}
