package mplp

import "strings"

// reader collects the problems and warnings of one document.
type reader struct {
	limits   Limits
	problems []Problem
	warnings []Warning
	notes    []Warning    // about the problems
	fault    *SyntaxError // a known key in the wrong case; wins over problems
}

// fields are the known members of one kind of object and how each is read. There are so
// few that a linear search is faster than a map.
type fields []field

type field struct {
	name string
	read func(value)
}

// find returns the function that reads a member, nil if it is unknown.
func (f fields) find(name string) func(value) {
	for i := range f {
		if f[i].name == name {
			return f[i].read
		}
	}
	return nil
}

// openDocument parses a document's outer object.
func openDocument(data []byte, l Limits) (*reader, *Object, error) {
	o, err := parseDocument(data, l)
	if err != nil {
		return nil, nil, err
	}
	r := &reader{limits: l}
	if _, ok := o.Get(comment); ok {
		o.Delete(comment)
		r.warn(comment, "dropped", "comments are not kept")
	}
	return r, o, nil
}

// members reads the known members of the object at path in the order they were sent,
// and reports missing required ones. Unknown members are ignored; a null counts as
// absent.
func (r *reader) members(path string, o *Object, known fields, required ...string) {
	r.membersAt(func(name string) string { return join(path, name) }, o, nil, known, required...)
}

// membersAt is members for an object whose members were sent in several places. other
// are members that are read in another way.
func (r *reader) membersAt(at func(name string) string, o *Object, other, known fields, required ...string) {
	for _, m := range o.members {
		read := other.find(m.name)
		if read == nil {
			read = known.find(m.name)
		}
		switch {
		case read == nil:
			r.checkCase(at(m.name), m.name, other)
			r.checkCase(at(m.name), m.name, known)
		case isNull(m.value):
			r.warn(at(m.name), "null", "null counts as absent")
		default:
			read(value{r: r, path: at(m.name), raw: m.value})
		}
	}
	for _, name := range required {
		if raw, ok := o.Get(name); !ok || isNull(raw) {
			r.require(at(name))
		}
	}
}

// checkCase refuses a known key in another case: readers that ignore case would see a
// member that this one does not.
func (r *reader) checkCase(path, name string, known fields) {
	if r.fault != nil {
		return
	}
	for _, want := range known {
		if strings.EqualFold(name, want.name) {
			r.fault = &SyntaxError{Path: path, Message: "wrong case of a known key, " + want.name}
			return
		}
	}
}

func (r *reader) problem(path, code, message string) {
	if len(r.problems) < MaxProblems {
		r.problems = append(r.problems, Problem{Path: path, Code: code, Message: message})
	}
}

func (r *reader) require(path string) { r.problem(path, "required", "is required") }

func (r *reader) warn(path, code, message string) {
	if len(r.warnings) < MaxProblems {
		r.warnings = append(r.warnings, Warning{Path: path, Code: code, Message: message})
	}
}

// warnFilled warns about a member that the server fills in.
func (r *reader) warnFilled(o *Object, path, name string) {
	if _, ok := o.Get(name); !ok {
		r.warn(join(path, name), CodeFilled, Missing)
	}
}

// err returns everything that is wrong with what was read.
func (r *reader) err() error {
	switch {
	case r.fault != nil:
		return r.fault
	case len(r.problems) > 0:
		return &Invalid{Problems: r.problems, Notes: r.notes}
	default:
		return nil
	}
}

// result returns what was read, or everything that is wrong with it.
func result[T any](r *reader, read *T) (*T, error) {
	if err := r.err(); err != nil {
		return nil, err
	}
	return read, nil
}

func isNull(raw Raw) bool { return string(raw) == "null" }
