package mplp

import (
	"fmt"
	"slices"
)

// objectForm is an object with these members, in canonical order. An open one may have
// others.
type objectForm struct {
	open    bool
	adjust  adjustment // before projection, nil for none
	members []memberForm
}

// adjustment fills and renames members before they are projected, in place.
type adjustment func(p *projection, path string, f objectForm, sent *Object)

type memberForm struct {
	name     string
	form     form
	required bool
}

func required(name string, f form) memberForm { return memberForm{name, f, true} }
func optional(name string, f form) memberForm { return memberForm{name, f, false} }

func (f objectForm) check(v value) {
	if o := v.object(); o != nil {
		f.checkMembers(v.r, v.path, o)
	}
}

func (f objectForm) checkMembers(r *reader, path string, o *Object) {
	for _, m := range o.members {
		at := join(path, shorten(m.name))
		if i := f.index(m.name); i >= 0 {
			f.members[i].form.check(value{r: r, path: at, raw: m.value})
		} else if !f.open {
			r.problem(at, "unknown", "is not a member of this object")
		}
	}
	for _, m := range f.members {
		if _, ok := o.Get(m.name); m.required && !ok {
			r.require(join(path, m.name))
		}
	}
}

func (f objectForm) project(p *projection, path string, raw Raw) (Raw, bool) {
	if raw[0] != '{' {
		return nil, false
	}
	out, err := f.projectMembers(p, path, split(raw))
	if err != nil {
		return nil, false
	}
	return out.Bytes(), true
}

// projectMembers is project for a parsed object. Its error names the required member
// that is missing or does not fit.
func (f objectForm) projectMembers(p *projection, path string, sent *Object) (*Object, error) {
	if f.adjust != nil {
		f.adjust(p, path, f, sent)
	}
	out := NewObject()
	for _, m := range f.members {
		raw, ok := m.from(p, path, sent)
		switch {
		case ok:
			out.Set(m.name, raw)
		case m.required:
			return nil, fmt.Errorf("%s is missing or beyond repair", join(path, m.name))
		}
	}
	if f.open {
		for _, m := range sent.members {
			if f.index(m.name) < 0 {
				out.members = append(out.members, m)
			}
		}
	}
	return out, nil
}

// from projects the member of an object. A null counts as absent.
func (m memberForm) from(p *projection, path string, sent *Object) (Raw, bool) {
	raw, ok := sent.Get(m.name)
	if !ok || isNull(raw) {
		return nil, false
	}
	return m.form.project(p, join(path, m.name), raw)
}

func (f objectForm) index(name string) int {
	return slices.IndexFunc(f.members, func(m memberForm) bool { return m.name == name })
}
