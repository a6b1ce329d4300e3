package mplp

import (
	"strconv"

	"github.com/go-json-experiment/json/jsontext"
)

// ProtocolVersion is the protocol version stamped on objects that the server
// makes or completes (requirements C-1).
const ProtocolVersion = "1.0.0"

// DefaultMeta is the meta member of an object that came without one.
func DefaultMeta() Raw { return Raw(`{"protocolVersion":"` + ProtocolVersion + `"}`) }

// String returns s as a JSON string. Nothing is escaped for HTML, so that the
// bytes are those a reviewer sees. Invalid UTF-8 becomes U+FFFD.
func String(s string) Raw {
	quoted, _ := jsontext.AppendQuote(nil, s) // the error only says that U+FFFD was put in
	return quoted
}

// Strings returns a JSON array of strings; nil is the empty array.
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

// Array returns a JSON array of values that are JSON already.
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
