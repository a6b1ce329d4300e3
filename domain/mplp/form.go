package mplp

import "regexp"

// form describes one kind of value as the official schema does. Strict validation and
// the canonical form both follow from it.
type form interface {
	// check reports every way in which v breaks the form.
	check(v value)
	// project returns the value of this form with the same meaning as raw, which is not
	// null, or false if there is none.
	project(p *projection, path string, raw Raw) (Raw, bool)
}

// plainForm is a form without adjustments: a value fits or does not.
type plainForm func(value)

func (f plainForm) check(v value) { f(v) }

func (f plainForm) project(_ *projection, path string, raw Raw) (Raw, bool) {
	r := &reader{}
	f(value{r: r, path: path, raw: raw})
	return raw, len(r.problems) == 0
}

var (
	anyText   = plainForm(func(v value) { v.text() })
	someText  = plainForm(func(v value) { v.filledText() })
	flag      = plainForm(func(v value) { truth(new(bool))(v) })
	openValue = plainForm(anyObject)
	dataValue = plainForm(func(v value) {
		if !isNull(v.raw) {
			anyObject(v)
		}
	})
)

func choice(allowed ...string) plainForm {
	return func(v value) { oneOf(new(string), allowed...)(v) }
}

func shaped(shape *regexp.Regexp, must string) plainForm {
	return func(v value) {
		if text, ok := v.text(); ok && !shape.MatchString(text) {
			v.problem("pattern", must)
		}
	}
}

// idForm is an identifier. Its namespace is a module; or step, decision or segment,
// whose ids are unique in their object only; or target, for the module that target_type
// names.
type idForm struct {
	namespace string
	refers    bool // refers to an id in the same object
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

// timeForm is a date and time with a zone. Its canonical spelling is RenderTime's.
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
