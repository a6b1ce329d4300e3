package mplp

import (
	"regexp"
	"strings"
)

// eventForm loses no event: one with members that do not fit the form becomes the data
// of one that does.
type eventForm struct{ objectForm }

func (f eventForm) project(p *projection, path string, raw Raw) (Raw, bool) {
	if raw[0] != '{' {
		return nil, false
	}
	sent, out, kept := split(raw), NewObject(), 0
	for _, m := range f.members {
		value, ok := m.from(p, path, sent)
		if ok {
			kept++
		} else {
			value, ok = f.fallbackValue(p, path, sent, m.name)
		}
		if ok {
			out.Set(m.name, value)
		}
	}
	for _, m := range sent.members {
		if !isNull(m.value) {
			kept--
		}
	}
	if kept < 0 {
		whole := NewObject()
		whole.Set("sent", raw)
		out.Set("data", whole.Bytes())
	}
	return out.Bytes(), true
}

// fallbackValue returns a value for a member that the event has not, or has in another
// form.
func (f eventForm) fallbackValue(p *projection, path string, sent *Object, name string) (Raw, bool) {
	switch name {
	case "event_id":
		return String(p.derivedID("event", path)), true
	case "event_type":
		if dotted := dottedType(textMember(sent, name)); dotted != "" {
			return String(dotted), true
		}
		return String(p.module + ".event"), true
	case "source":
		return String(p.module), true
	case "timestamp":
		return String(p.time), true
	default:
		return nil, false
	}
}

var (
	notTypeWord = regexp.MustCompile(`[^a-z0-9]+`)
	dotDigit    = regexp.MustCompile(`\.([0-9])`)
)

// dottedType turns an event's name such as plan_approved or Step-3 into a type:
// plan.approved, step3. It returns "" if no word is in it.
func dottedType(name string) string {
	dotted := notTypeWord.ReplaceAllString(strings.ToLower(name), ".")
	return strings.TrimLeft(dotDigit.ReplaceAllString(strings.Trim(dotted, "."), "$1"), "0123456789.")
}
