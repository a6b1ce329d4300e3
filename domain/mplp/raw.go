package mplp

// ProtocolVersion is the protocol version stamped on objects that the server
// makes or completes (requirements C-1).
const ProtocolVersion = "1.0.0"

// DefaultMeta is the meta member of an object that came without one.
func DefaultMeta() Raw { panic("not yet") }

// String returns s as a JSON string. Nothing is escaped for HTML, so that the
// bytes are those a reviewer sees.
func String(s string) Raw { panic("not yet") }

// Strings returns a JSON array of strings; nil is the empty array.
func Strings(list []string) Raw { panic("not yet") }

// Int returns n as a JSON number.
func Int(n int64) Raw { panic("not yet") }

// Bool returns b as a JSON literal.
func Bool(b bool) Raw { panic("not yet") }

// Array returns a JSON array of values that are JSON already.
func Array(items ...Raw) Raw { panic("not yet") }
