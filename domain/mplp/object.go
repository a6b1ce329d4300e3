package mplp

import (
	"bytes"
	"slices"

	"github.com/go-json-experiment/json/jsontext"
)

// Raw is one JSON value as it was sent, without white space between tokens. It must not
// be modified in place.
type Raw []byte

// Object is a JSON object. Its members keep the order and the bytes in which they were
// sent.
type Object struct {
	members []member
	text    Raw // cached result of Bytes, or nil
}

type member struct {
	name   string
	quoted Raw // the name as sent, escapes untouched
	value  Raw
}

// NewObject returns an object without members.
func NewObject() *Object { return &Object{} }

// comment is the one member that is dropped: the official minimal examples have it
// although their schemas refuse it.
const comment = "$comment"

// ParseObject reads a document strictly, without a byte order mark and a top-level
// "$comment". Anything but exactly one JSON object within the limits is a *SyntaxError.
// As everything that this package parses, the result may share memory with data.
func ParseObject(data []byte, l Limits) (*Object, error) {
	o, err := parseDocument(data, l)
	if err != nil {
		return nil, err
	}
	o.Delete(comment)
	return o, nil
}

// parseDocument is ParseObject with the "$comment".
func parseDocument(data []byte, l Limits) (*Object, error) {
	raw, err := compactStrict(bytes.TrimPrefix(data, byteOrderMark), l)
	if err != nil {
		return nil, err
	}
	if raw[0] != '{' {
		return nil, &SyntaxError{Message: "the document must be an object"}
	}
	o := split(raw)
	o.text = slices.Clip(raw)
	return o, nil
}

// split parses an object that must be well-formed.
func split(raw Raw) *Object {
	o := &Object{members: make([]member, 0, usualMembers)}
	for c := newCursor(raw); ; {
		quoted := c.next()
		value := c.next()
		if value == nil {
			return o
		}
		name, _ := unquote(quoted)
		o.members = append(o.members, member{name: name, quoted: quoted, value: value})
	}
}

// usualMembers is the capacity for members that suffices for most objects.
const usualMembers = 8

// elements parses an array that must be well-formed.
func elements(raw Raw) []Raw {
	var list []Raw
	c := newCursor(raw)
	for e := c.next(); e != nil; e = c.next() {
		list = append(list, e)
	}
	return list
}

func unquote(raw Raw) (string, bool) {
	if len(raw) == 0 || raw[0] != '"' {
		return "", false
	}
	if bytes.IndexByte(raw, '\\') < 0 {
		return string(raw[1 : len(raw)-1]), true
	}
	text, err := jsontext.AppendUnquote(nil, []byte(raw))
	return string(text), err == nil
}

// Get returns the value of a member and reports whether it exists.
func (o *Object) Get(name string) (Raw, bool) {
	if i := o.index(name); i >= 0 {
		return o.members[i].value, true
	}
	return nil, false
}

// Set replaces the value of a member in place, or appends the member.
func (o *Object) Set(name string, value Raw) {
	i := o.index(name)
	switch {
	case i < 0:
		o.members = append(o.members, member{name: name, quoted: String(name), value: value})
	case bytes.Equal(o.members[i].value, value):
		return
	default:
		o.members[i].value = value
	}
	o.text = nil
}

// Delete removes a member if there is one.
func (o *Object) Delete(name string) {
	if i := o.index(name); i >= 0 {
		o.members, o.text = slices.Delete(o.members, i, i+1), nil
	}
}

// Names returns the names of the members in order.
func (o *Object) Names() []string {
	names := make([]string, len(o.members))
	for i, m := range o.members {
		names[i] = m.name
	}
	return names
}

// Len returns the number of members.
func (o *Object) Len() int { return len(o.members) }

// Bytes returns the object as compact JSON, which must not be modified in place.
func (o *Object) Bytes() []byte {
	if o.text == nil {
		o.text = o.write()
	}
	return o.text
}

func (o *Object) write() Raw {
	size := 2
	for _, m := range o.members {
		size += len(m.quoted) + len(m.value) + 2
	}
	out := append(make([]byte, 0, size), '{')
	for i, m := range o.members {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(out, m.quoted...)
		out = append(out, ':')
		out = append(out, m.value...)
	}
	return append(out, '}')
}

func (o *Object) index(name string) int {
	return slices.IndexFunc(o.members, func(m member) bool { return m.name == name })
}
