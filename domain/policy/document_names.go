package policy

import (
	"fmt"
	"slices"

	"countersign/domain/mplp"
)

// Reference is a place in a document that names a role or a key. To set Name changes the
// document.
type Reference struct {
	Path  string
	IsKey bool // else it is a role
	Name  *string
}

// maxReferences is how many places a valid document has.
const maxReferences = 2*MaxPatterns + MaxThresholds + 2*MaxEscalations

// References lists the places that name a role or a key.
func (d *Document) References() (list []Reference) {
	add := func(isKey bool, name *string, path string, index int) {
		list = append(list, Reference{Path: fmt.Sprintf(path, index), IsKey: isKey, Name: name})
	}
	for i := range d.Match.Keys {
		add(true, &d.Match.Keys[i], "match.keys[%d]", i)
	}
	for i := range d.Match.Roles {
		add(false, &d.Match.Roles[i], "match.roles[%d]", i)
	}
	for i := range d.Quorum {
		add(false, &d.Quorum[i].Role, "quorum[%d].role", i)
	}
	for i := range d.Escalate {
		add(false, &d.Escalate[i].Role, "escalate[%d].role", i)
		add(false, &d.Escalate[i].For, "escalate[%d].for", i)
	}
	return list
}

// Renamed returns a copy that has other names for roles and keys.
func (d *Document) Renamed(name func(Reference) string) *Document {
	renamed := *d
	renamed.Match.Keys, renamed.Match.Roles = slices.Clone(d.Match.Keys), slices.Clone(d.Match.Roles)
	renamed.Quorum, renamed.Escalate = slices.Clone(d.Quorum), slices.Clone(d.Escalate)
	for _, ref := range renamed.References() {
		*ref.Name = name(ref)
	}
	return &renamed
}

// ParseNamed is Parse for a document that may name roles and keys in another way than by
// their ids. resolve puts the ids there, and returns what is wrong with the names. It is
// not called for a document with too many of them.
func ParseNamed(data []byte, resolve func([]Reference) []mplp.Problem) (*Document, error) {
	return parse(data, func(d *Document) []mplp.Problem {
		refs := d.References()
		if len(refs) > maxReferences {
			return nil
		}
		return resolve(refs)
	})
}
