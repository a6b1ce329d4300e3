package mplp

// Raw is one JSON value as it was sent, without white space between tokens.
// It is never to be modified in place.
type Raw []byte

// Object is a JSON object whose members keep the order and the bytes in which
// they were sent.
type Object struct{ members []member }

type member struct {
	name   string
	quoted Raw // the name as sent, escapes untouched
	value  Raw
}

// NewObject returns an object without members.
func NewObject() *Object { return &Object{} }

// ParseObject reads a document strictly. A byte order mark and a top-level
// "$comment" are dropped. Anything that is not exactly one JSON object within
// the limits is a *SyntaxError.
func ParseObject(data []byte, l Limits) (*Object, error) { panic("not yet") }

// Get returns the value of a member and whether there is one.
func (o *Object) Get(name string) (Raw, bool) { panic("not yet") }

// Set replaces the value of a member in its place, or appends the member.
func (o *Object) Set(name string, value Raw) { panic("not yet") }

// Delete removes a member if there is one.
func (o *Object) Delete(name string) { panic("not yet") }

// Names returns the names of the members in order.
func (o *Object) Names() []string { panic("not yet") }

// Len returns the number of members.
func (o *Object) Len() int { return len(o.members) }

// Bytes returns the object as compact JSON.
func (o *Object) Bytes() []byte { panic("not yet") }
