package mplp

import (
	"bytes"
	"errors"
	"math"
)

// projection is the making of one object's canonical form.
type projection struct {
	module     string
	id         string // the object's own, canonical
	target     string // the module of target_id
	time       string // stands in for times that are missing inside the object
	sentIDs    []member
	given      map[[2]string]string // canonical ids of this object by namespace and id
	taken      map[string]bool
	attributes *Object // members with no place in the form
}

// stored objects were held to limits when they came in.
var stored = Limits{Depth: math.MaxInt, NumberLen: math.MaxInt, Actions: math.MaxInt, Steps: math.MaxInt, Edges: math.MaxInt, Events: math.MaxInt,
	Title: math.MaxInt, Description: math.MaxInt}

// epoch is the time of an event in an object that knows no time at all.
const epoch = "1970-01-01T00:00:00.000Z"

// startProjection takes an object apart.
func startProjection(module string, native []byte) (*projection, *Object, error) {
	o, err := ParseObject(native, stored)
	if err != nil {
		return nil, nil, err
	}
	id := textOf(o, module+"_id")
	if id == "" {
		return nil, nil, errors.New(module + "_id is missing")
	}
	p := &projection{
		module: module, id: CanonicalID(module, id), time: timeOf(o),
		given: map[[2]string]string{}, taken: map[string]bool{}, attributes: NewObject(),
	}
	fill(o, "meta", DefaultMeta())
	return p, o, nil
}

// timeOf gives the earliest moment that an object tells of itself.
func timeOf(o *Object) string {
	for _, name := range []string{"requested_at", "created_at", "started_at"} {
		if t, _, ok := parseTime(textOf(o, name)); ok {
			return RenderTime(t)
		}
	}
	return epoch
}

// keep moves members that have no place in the form to the attributes.
func (p *projection) keep(o *Object, names ...string) {
	for _, name := range names {
		if raw, ok := o.Get(name); ok && !isNull(raw) {
			p.attributes.Set(name, raw)
			o.Delete(name)
		}
	}
}

// finish projects the object and puts everything that has no place of its own
// into the attributes of the span that the named member holds.
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

// addAttributes lets the server's attributes win over what the client said
// under the same name, which is kept under another.
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

// noteID remembers an id as it was sent.
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

// ownID is CanonicalID for ids that are unique in this object only, and keeps
// two that differ apart even if they end with the same UUID: else steps would
// become one, or depend on themselves.
func (p *projection) ownID(namespace, id string) string {
	key := [2]string{namespace, id}
	if canonical, ok := p.given[key]; ok {
		return canonical
	}
	space := within(namespace, p.id)
	canonical := CanonicalID(space, id)
	if p.taken[canonical] {
		canonical = hashedID(space, id)
	}
	p.given[key], p.taken[canonical] = canonical, true
	return canonical
}

// derivedID is the id of something in the object that came without one.
func (p *projection) derivedID(namespace, path string) string {
	return hashedID(within(namespace, p.id), path)
}

// textOf gives a member that is a string, or "".
func textOf(o *Object, name string) string {
	raw, _ := o.Get(name)
	text, _ := unquote(raw)
	return text
}
