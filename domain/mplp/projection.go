package mplp

import (
	"bytes"
	"errors"
	"math"
)

// projection converts one object into its canonical form.
type projection struct {
	module       string
	id           string // the object's own, canonical
	target       string // the module of target_id
	time         string // replaces missing times inside the object
	sentIDs      []member
	canonicalIDs map[[2]string]string // canonical ids of this object by namespace and id
	taken        map[string]bool
	attributes   *Object // members with no place in the form
}

// stored are the limits for stored objects, which were checked when they came in.
var stored = Limits{Depth: math.MaxInt, NumberLen: math.MaxInt, Actions: math.MaxInt, Steps: math.MaxInt, Edges: math.MaxInt, Events: math.MaxInt,
	Title: math.MaxInt, Description: math.MaxInt}

// epoch is the time of an event in an object without any time.
const epoch = "1970-01-01T00:00:00.000Z"

// startProjection parses an object.
func startProjection(module string, native []byte) (*projection, *Object, error) {
	o, err := ParseObject(native, stored)
	if err != nil {
		return nil, nil, err
	}
	id := textMember(o, module+"_id")
	if id == "" {
		return nil, nil, errors.New(module + "_id is missing")
	}
	p := &projection{
		module: module, id: CanonicalID(module, id), time: earliestTime(o),
		canonicalIDs: map[[2]string]string{}, taken: map[string]bool{}, attributes: NewObject(),
	}
	setDefault(o, "meta", DefaultMeta())
	return p, o, nil
}

// earliestTime returns the earliest time in an object.
func earliestTime(o *Object) string {
	for _, name := range []string{"requested_at", "created_at", "started_at"} {
		if t, _, ok := parseTime(textMember(o, name)); ok {
			return RenderTime(t)
		}
	}
	return epoch
}

// moveToAttributes moves members that the form does not have to the attributes.
func (p *projection) moveToAttributes(o *Object, names ...string) {
	for _, name := range names {
		if raw, ok := o.Get(name); ok && !isNull(raw) {
			p.attributes.Set(name, raw)
			o.Delete(name)
		}
	}
}

// finish projects the object and puts everything without a place into the attributes of
// the span in the named member.
func (p *projection) finish(f objectForm, o *Object, name string) ([]byte, error) {
	out, err := f.projectMembers(p, "", o)
	if err != nil {
		return nil, err
	}
	if len(p.sentIDs) > 0 {
		p.attributes.Set("native_ids", (&Object{members: p.sentIDs}).Bytes())
	}
	if p.attributes.Len() == 0 {
		return out.Bytes(), nil
	}
	raw, ok := out.Get(name)
	if !ok {
		raw, _ = span.project(p, name, Raw(`{}`))
	}
	own := split(raw)
	sent, ok := own.Get("attributes")
	if !ok {
		sent = Raw(`{}`)
	}
	own.Set("attributes", p.addAttributes(split(sent)).Bytes())
	out.Set(name, own.Bytes())
	return out.Bytes(), nil
}

// addAttributes adds the server's attributes. A client's attribute of the same name is
// kept under another name.
func (p *projection) addAttributes(attributes *Object) *Object {
	for _, m := range p.attributes.members {
		sent, ok := attributes.Get(m.name)
		if ok && !bytes.Equal(sent, m.value) {
			name := "sent." + m.name
			for attributes.index(name) >= 0 {
				name = "sent." + name
			}
			attributes.Set(name, sent)
		}
		attributes.Set(m.name, m.value)
	}
	return attributes
}

// noteID records an id as it was sent.
func (p *projection) noteID(path, id string) {
	p.sentIDs = append(p.sentIDs, member{name: path, quoted: String(path), value: String(id)})
}

func (p *projection) canonicalID(namespace, id string) string {
	switch namespace {
	case "target":
		return CanonicalID(p.target, id)
	case "step", "decision", "segment":
		return p.ownID(namespace, id)
	default:
		return CanonicalID(namespace, id)
	}
}

// ownID is CanonicalID for ids that are unique in this object only. It keeps two ids
// apart that end with the same UUID: else steps would merge, or depend on themselves.
func (p *projection) ownID(namespace, id string) string {
	key := [2]string{namespace, id}
	if canonical, ok := p.canonicalIDs[key]; ok {
		return canonical
	}
	space := nestedNamespace(namespace, p.id)
	canonical := CanonicalID(space, id)
	if p.taken[canonical] {
		canonical = hashedID(space, id)
	}
	p.canonicalIDs[key], p.taken[canonical] = canonical, true
	return canonical
}

// derivedID returns an id for a part of the object that came without one.
func (p *projection) derivedID(namespace, path string) string {
	return hashedID(nestedNamespace(namespace, p.id), path)
}

// textMember returns a member that is a string, or "".
func textMember(o *Object, name string) string {
	raw, _ := o.Get(name)
	text, _ := unquote(raw)
	return text
}
