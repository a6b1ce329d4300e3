package evidence

import (
	"strconv"
	"time"
)

// object writes JSON as scan reads it: members in a fixed order, without white
// space. The bytes are those of encoding/json, which would look at every byte of
// arguments that have been read strictly and compacted before.
type object []byte

// text writes a member with a string.
func (o *object) text(name, value string) {
	*o = append(*o, name...)
	*o = appendText(*o, value)
}

// member writes a member with a string, if it is not empty.
func (o *object) member(name, value string) {
	if value != "" {
		o.text(name, value)
	}
}

// digest writes a member with a digest.
func (o *object) digest(name string, digest []byte) {
	*o = append(append(*o, name...), '"')
	*o = append(digestEncoding.AppendEncode(*o, digest), '"')
}

// moment writes a member with a time in TimeFormat.
func (o *object) moment(name string, t time.Time) {
	*o = append(*o, name...)
	*o = append(*o, '"')
	*o = t.UTC().AppendFormat(*o, TimeFormat)
	*o = append(*o, '"')
}

// integer writes a member with a number.
func (o *object) integer(name string, n int64) {
	*o = strconv.AppendInt(append(*o, name...), n, 10)
}

// raw writes a member with a value that is compact JSON, if there is one.
func (o *object) raw(name string, value []byte) {
	if len(value) > 0 {
		*o = append(append(*o, name...), value...)
	}
}

// list writes a member with an array of n items, if there are any.
func (o *object) list(name string, n int, item func(i int)) {
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

// appendText appends a string as JSON has it.
func appendText(b []byte, s string) []byte {
	for i := range len(s) {
		if c := s[i]; c < ' ' || c > '~' || c == '"' || c == '\\' {
			quoted, _ := encode(s) // it does not fail with a string
			return append(b, quoted...)
		}
	}
	b = append(append(b, '"'), s...)
	return append(b, '"')
}
