package mplp

import (
	"regexp"
	"strings"
)

// eventForm loses no event: one with members that have no place in the form
// stands whole in the data of one that is valid (requirements, contradiction
// 10).
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
			value, ok = f.fallback(p, path, sent, m.name)
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

// fallback gives a member that the event does not have in a form that fits.
func (f eventForm) fallback(p *projection, path string, sent *Object, name string) (Raw, bool) {
	switch name {
	case "event_id":
		return String(p.derivedID("event", path)), true
	case "event_type":
		if dotted := dottedType(textOf(sent, name)); dotted != "" {
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

// dottedType writes an event's name such as plan_approved or Step-3 as a type:
// plan.approved, step3. What has no word in it gives "".
func dottedType(name string) string {
	dotted := notTypeWord.ReplaceAllString(strings.ToLower(name), ".")
	return strings.TrimLeft(dotDigit.ReplaceAllString(strings.Trim(dotted, "."), "$1"), "0123456789.")
}
