package evidence

import (
	"encoding/json"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// scanEntry reads an entry as Marshal writes it, several times as fast as
// encoding/json. It returns nil for any other spelling.
func scanEntry(data []byte) *Entry {
	s, e := entryScanner{rest: string(data)}, new(Entry)
	s.expect(`{"v":1,"seq":`)
	e.Seq = s.readInteger()
	s.expect(`,"type":`)
	e.Type = s.readText()
	s.expect(`,"at":`)
	e.At = s.readTime()
	s.expect(`,"principal":`)
	e.Principal = s.readText()
	s.expect(`,"kind":`)
	e.Kind = s.readText()
	e.Name = s.optionalText(`,"name":`)
	e.Role = s.optionalText(`,"role":`)
	e.Cause = s.optionalText(`,"cause":`)
	e.ConfirmID = s.optionalText(`,"confirm_id":`)
	e.PlanID = s.optionalText(`,"plan_id":`)
	e.ObjectID = s.optionalText(`,"object_id":`)
	e.ContentHash = longHash(s.optionalText(`,"content_hash":`))
	e.EffectiveHash = longHash(s.optionalText(`,"effective_hash":`))
	if s.accept(`,"decisions":[`) {
		e.Decisions = s.readDecisions()
	}
	e.TraceID = s.optionalText(`,"trace_id":`)
	e.SpanID = s.optionalText(`,"span_id":`)
	if s.accept(`,"data":`) {
		e.Data = s.readRaw()
	}
	s.expect(`,"rows":[`)
	e.Rows = s.readRows(e)
	s.expect(`}`)
	if !s.atEnd() {
		return nil
	}
	return e
}

// entryScanner reads JSON in the one spelling that Marshal writes. At anything else it
// fails, and encoding/json has to read it. Texts are not copied: they are parts of the
// whole.
type entryScanner struct {
	rest   string
	failed bool
}

// maxRaw bounds the values that are skipped; encoding/json reads longer ones, as it
// limits their depth.
const maxRaw = 16 << 10

func (s *entryScanner) fail() { s.failed, s.rest = true, "" }

// accept consumes text if it comes next, and reports whether it did.
func (s *entryScanner) accept(text string) bool {
	rest, found := strings.CutPrefix(s.rest, text)
	if found {
		s.rest = rest
	}
	return found
}

// expect consumes text, or fails.
func (s *entryScanner) expect(text string) {
	if !s.accept(text) {
		s.fail()
	}
}

// readText consumes a string.
func (s *entryScanner) readText() string {
	end := s.closingQuote()
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

// closingQuote returns where the string that comes next ends, -1 if none does.
func (s *entryScanner) closingQuote() int {
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

// optionalText consumes a member with a string if it comes next; else it returns "".
func (s *entryScanner) optionalText(name string) string {
	if !s.accept(name) {
		return ""
	}
	text := s.readText()
	if text == "" {
		s.fail() // Marshal writes no empty member
	}
	return text
}

// readInteger consumes a number without sign, fraction and exponent.
func (s *entryScanner) readInteger() int64 {
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

// readRaw consumes an object or array without reading its members.
func (s *entryScanner) readRaw() json.RawMessage {
	depth := 0
	for at := 0; at < len(s.rest) && at < maxRaw; at++ {
		switch s.rest[at] {
		case '"':
			inner := entryScanner{rest: s.rest[at:]}
			end := inner.closingQuote()
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

// atEnd reports whether everything was read.
func (s *entryScanner) atEnd() bool { return !s.failed && len(s.rest) == 0 }

// readTime consumes a time in TimeFormat. The library reads RFC 3339 many times as
// fast, so it checks the length and the point instead of passing TimeFormat.
func (s *entryScanner) readTime() time.Time {
	text := s.readText()
	t, err := time.Parse(time.RFC3339, text)
	if err != nil || len(text) != len(TimeFormat) || text[len("2006-01-02T15:04:05")] != '.' || !strings.HasSuffix(text, "Z") {
		s.fail()
	}
	return t
}

// readDecisions consumes the rest of an array of decisions.
func (s *entryScanner) readDecisions() (list []EntryDecision) {
	for !s.failed {
		s.expect(`{"type":`)
		d := EntryDecision{Type: s.readText()}
		s.expect(`,"args_hash":`)
		d.ArgsHash = longHash(s.readText())
		d.Filled = s.accept(`,"filled":true`)
		s.expect(`}`)
		list = append(list, d)
		if s.accept(`]`) {
			break
		}
		s.expect(`,`)
	}
	return list
}

// readRows consumes the rest of an array of rows.
func (s *entryScanner) readRows(e *Entry) []Row {
	list := make([]Row, 0, 4) // most entries have no more
	for !s.failed && !s.accept(`]`) {
		if len(list) > 0 {
			s.expect(`,`)
		}
		s.expect(`[`)
		r := Row{Table: s.readText()}
		s.expect(`,`)
		r.Key = e.longKey(s.readText())
		s.expect(`,`)
		var err error
		if r.Digest, err = parseDigest(s.readText()); err != nil {
			s.fail()
		}
		if s.accept(`,`) {
			if r.Before, err = parseDigest(s.readText()); err != nil {
				s.fail()
			}
		}
		s.expect(`]`)
		list = append(list, r)
	}
	return list
}
