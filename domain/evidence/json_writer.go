package evidence

import (
	"strconv"
	"time"
)

// jsonWriter writes JSON with members in a fixed order and without white space. Its
// bytes are those of encoding/json, which would read every byte of arguments that have
// been checked and compacted before.
type jsonWriter []byte

// text writes a member with a string.
func (o *jsonWriter) text(name, value string) {
	*o = append(*o, name...)
	*o = appendText(*o, value)
}

// optionalText writes a member with a string, unless it is empty.
func (o *jsonWriter) optionalText(name, value string) {
	if value != "" {
		o.text(name, value)
	}
}

// digest writes a member with a digest.
func (o *jsonWriter) digest(name string, digest []byte) {
	*o = append(append(*o, name...), '"')
	*o = append(digestEncoding.AppendEncode(*o, digest), '"')
}

// time writes a member with a time in TimeFormat.
func (o *jsonWriter) time(name string, t time.Time) {
	*o = append(*o, name...)
	*o = append(*o, '"')
	*o = t.UTC().AppendFormat(*o, TimeFormat)
	*o = append(*o, '"')
}

// integer writes a member with a number.
func (o *jsonWriter) integer(name string, n int64) {
	*o = strconv.AppendInt(append(*o, name...), n, 10)
}

// raw writes a member with compact JSON, unless it is empty.
func (o *jsonWriter) raw(name string, value []byte) {
	if len(value) > 0 {
		*o = append(append(*o, name...), value...)
	}
}

// list writes a member with an array of n items, unless n is 0.
func (o *jsonWriter) list(name string, n int, item func(i int)) {
	for i := range n {
		if i == 0 {
			*o = append(*o, name...)
		} else {
			*o = append(*o, ',')
		}
		item(i)
	}
	if n > 0 {
		*o = append(*o, ']')
	}
}

// appendText appends a string as a JSON string.
func appendText(b []byte, s string) []byte {
	for i := range len(s) {
		if c := s[i]; c < ' ' || c > '~' || c == '"' || c == '\\' {
			quoted, _ := encode(s) // never fails with a string
			return append(b, quoted...)
		}
	}
	b = append(append(b, '"'), s...)
	return append(b, '"')
}
