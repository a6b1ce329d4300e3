package mplp

import (
	"strconv"

	"github.com/go-json-experiment/json/jsontext"
)

// ProtocolVersion is the protocol version of objects that the server creates or
// completes.
const ProtocolVersion = "1.0.0"

// DefaultMeta is the meta of an object that came without one.
func DefaultMeta() Raw { return Raw(`{"protocolVersion":"` + ProtocolVersion + `"}`) }

// Object parses a well-formed object. It returns nil for a value of another kind.
func (r Raw) Object() *Object {
	if len(r) == 0 || r[0] != '{' {
		return nil
	}
	return split(r)
}

// Elements returns the values of a well-formed array, nil for a value of another kind.
func (r Raw) Elements() []Raw {
	if isNotArray(r) {
		return nil
	}
	return elements(r)
}

// Text returns the value of a well-formed string, and reports whether it is one.
func (r Raw) Text() (string, bool) { return unquote(r) }

// String returns s as a JSON string. Nothing is escaped for HTML, so its bytes are
// those a reviewer sees. Invalid UTF-8 becomes U+FFFD.
func String(s string) Raw {
	quoted, _ := jsontext.AppendQuote(nil, s) // an error only means that U+FFFD was inserted
	return quoted
}

// Strings returns a JSON array of strings; nil gives the empty array.
func Strings(list []string) Raw {
	items := make([]Raw, len(list))
	for i, s := range list {
		items[i] = String(s)
	}
	return Array(items...)
}

// Int returns n as a JSON number.
func Int(n int64) Raw { return strconv.AppendInt(nil, n, 10) }

// Bool returns b as a JSON literal.
func Bool(b bool) Raw { return strconv.AppendBool(nil, b) }

// Array returns a JSON array of JSON values.
func Array(items ...Raw) Raw {
	size := 2
	for _, item := range items {
		size += len(item) + 1
	}
	out := append(make(Raw, 0, size), '[')
	for i, item := range items {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(out, item...)
	}
	return append(out, ']')
}
