package evidence

import (
	"encoding/json"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// scan reads JSON that this package has written: the members in their order,
// without white space. What it takes, encoding/json would have read the same.
// At anything else it fails, and encoding/json has to decide: it is only a
// shorter way for what is read by the million: texts are not copied one by one,
// but are parts of the whole.
type scan struct {
	rest   string
	failed bool
}

// maxRaw bounds the values that a scan skips; longer ones are for encoding/json,
// which counts how deep they are nested.
const maxRaw = 16 << 10

func (s *scan) fail() { s.failed, s.rest = true, "" }

// has takes text if it comes next.
func (s *scan) has(text string) bool {
	rest, found := strings.CutPrefix(s.rest, text)
	if found {
		s.rest = rest
	}
	return found
}

// must takes text, which has to come next.
func (s *scan) must(text string) {
	if !s.has(text) {
		s.fail()
	}
}

// text takes a string.
func (s *scan) text() string {
	end := s.closing()
	if end < 0 {
		s.fail()
		return ""
	}
	quoted := s.rest[:end+1]
	s.rest = s.rest[end+1:]
	inside := quoted[1:end]
	plain := true
	for i := range len(inside) {
		b := inside[i]
		if b < ' ' {
			s.fail()
			return ""
		}
		plain = plain && b != '\\' && b < utf8.RuneSelf
	}
	if plain {
		return inside
	}
	var text string
	if !utf8.ValidString(inside) || json.Unmarshal([]byte(quoted), &text) != nil {
		s.fail()
	}
	return text
}

// closing is where the string that comes next ends; -1 if none does.
func (s *scan) closing() int {
	if len(s.rest) == 0 || s.rest[0] != '"' {
		return -1
	}
	for at := 1; ; at++ {
		quote := strings.IndexByte(s.rest[at:], '"')
		if quote < 0 {
			return -1
		}
		at += quote
		escapes := 0
		for s.rest[at-1-escapes] == '\\' {
			escapes++
		}
		if escapes%2 == 0 {
			return at
		}
	}
}

// member takes a member with a string if it comes next; "" without.
func (s *scan) member(name string) string {
	if !s.has(name) {
		return ""
	}
	text := s.text()
	if text == "" {
		s.fail() // it would not have been written
	}
	return text
}

// integer takes a number without sign, fraction and exponent.
func (s *scan) integer() int64 {
	n := 0
	for n < len(s.rest) && '0' <= s.rest[n] && s.rest[n] <= '9' {
		n++
	}
	number, err := strconv.ParseInt(s.rest[:n], 10, 64)
	if err != nil || n > 1 && s.rest[0] == '0' {
		s.fail()
		return 0
	}
	s.rest = s.rest[n:]
	return number
}

// raw takes an object or array as it is.
func (s *scan) raw() json.RawMessage {
	depth := 0
	for at := 0; at < len(s.rest) && at < maxRaw; at++ {
		switch s.rest[at] {
		case '"':
			inner := scan{rest: s.rest[at:]}
			end := inner.closing()
			if end < 0 {
				s.fail()
				return nil
			}
			at += end
		case '{', '[':
			depth++
		case '}', ']':
			depth--
		}
		if depth > 0 {
			continue
		}
		value := []byte(s.rest[:at+1])
		if at == 0 || !json.Valid(value) {
			break
		}
		s.rest = s.rest[at+1:]
		return value
	}
	s.fail()
	return nil
}

// ended says whether everything was taken.
func (s *scan) ended() bool { return !s.failed && len(s.rest) == 0 }

// moment takes a time in TimeFormat. That is the RFC 3339 that the library reads
// many times as fast, at this length and with the point in this place.
func (s *scan) moment() time.Time {
	text := s.text()
	t, err := time.Parse(time.RFC3339, text)
	if err != nil || len(text) != len(TimeFormat) || text[len("2006-01-02T15:04:05")] != '.' || !strings.HasSuffix(text, "Z") {
		s.fail()
	}
	return t
}
