package mplp

import "regexp"

// form is what the official schema says of one kind of value. Strict
// validation checks against it and the canonical form is projected onto it:
// both follow from one description.
type form interface {
	// check notes every way in which v breaks the form.
	check(v value)
	// project gives the value of this form that says what raw says, or false
	// if there is none. raw is not null.
	project(p *projection, path string, raw Raw) (Raw, bool)
}

// asIs is a form that leaves nothing to adjust: a value is in it or is not.
type asIs func(value)

func (f asIs) check(v value) { f(v) }

func (f asIs) project(_ *projection, path string, raw Raw) (Raw, bool) {
	r := &reader{}
	f(value{r: r, path: path, raw: raw})
	return raw, len(r.problems) == 0
}

var (
	anyText   = asIs(func(v value) { v.text() })
	someText  = asIs(func(v value) { v.filledText() })
	flag      = asIs(func(v value) { truth(new(bool))(v) })
	openValue = asIs(anyObject)
	dataValue = asIs(func(v value) {
		if !isNull(v.raw) {
			anyObject(v)
		}
	})
)

func choice(allowed ...string) asIs {
	return func(v value) { oneOf(new(string), allowed...)(v) }
}

func shaped(shape *regexp.Regexp, must string) asIs {
	return func(v value) {
		if text, ok := v.text(); ok && !shape.MatchString(text) {
			v.problem("pattern", must)
		}
	}
}

// idForm is an identifier. Its namespace is a module, or one of step, decision
// and segment, whose ids are unique in their object only, or target, which the
// object's target_type says.
type idForm struct {
	namespace string
	refers    bool // to an id of the same object, which has been noted there
}

func (f idForm) check(v value) {
	if text, ok := v.text(); ok && !uuidShape.MatchString(text) {
		v.problem("pattern", "must be a UUID v4 in lower case")
	}
}

func (f idForm) project(p *projection, path string, raw Raw) (Raw, bool) {
	id, ok := unquote(raw)
	if !ok || id == "" {
		return nil, false
	}
	canonical := p.canonicalID(f.namespace, id)
	if canonical != id && !f.refers {
		p.noteID(path, id)
	}
	return String(canonical), true
}

// timeForm is a date and time with a zone. The canonical one is what
// RenderTime writes (requirements, contradiction 27).
type timeForm struct{}

func (timeForm) check(v value) {
	if text, ok := v.text(); ok && !isDateTime(text) {
		v.problem("format", "must be a date and time with a zone as in RFC 3339")
	}
}

func (timeForm) project(_ *projection, _ string, raw Raw) (Raw, bool) {
	text, _ := unquote(raw)
	t, _, ok := parseTime(text)
	return String(RenderTime(t)), ok
}
