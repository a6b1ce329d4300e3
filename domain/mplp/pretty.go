package mplp

import "github.com/go-json-experiment/json/jsontext"

// Compact removes the white space between the tokens of one JSON value, read
// under the same strict rules and default limits as a document; every token
// keeps its bytes. Unlike [ParseObject] it drops nothing. Errors are
// *SyntaxError.
func Compact(data []byte) ([]byte, error) { return compactStrict(data, DefaultLimits) }

// Pretty lays a JSON value out for reading, two spaces per level, one member
// or element per line. Tokens and their order are untouched, so Compact gives
// the value back byte for byte. What is not JSON is returned as it is.
func Pretty(raw []byte) []byte {
	out, err := jsontext.AppendFormat(nil, raw,
		jsontext.Multiline(true), jsontext.WithIndent("  "), jsontext.PreserveRawStrings(true))
	if err != nil {
		return raw
	}
	return out
}
