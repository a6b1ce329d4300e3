package domain

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"countersign/domain/mplp"
	"countersign/domain/policy"
)

// policyNames finds the roles and keys that policies name, and what people call them. It
// belongs to one transaction.
type policyNames struct {
	r    Reader
	keys []*Key // all, once they are needed
	err  error  // of the store; then nothing that was found counts
}

// parse reads a document in which roles and keys are named by id or name.
func (n *policyNames) parse(data []byte) (*policy.Document, error) {
	d, err := policy.ParseNamed(data, n.resolve)
	if err = errors.Join(n.err, err); err != nil {
		return nil, refusePolicy(err)
	}
	return d, nil
}

// refusePolicy words what is wrong with a document.
func refusePolicy(err error) error {
	e := AsError(err)
	var invalid *mplp.Invalid
	var syntax *mplp.SyntaxError
	switch {
	case errors.As(err, &invalid):
		e.Message = "The policy is not valid: " + invalid.Summary() + "."
	case errors.As(err, &syntax):
		e.Message = "The policy cannot be read: " + syntax.Summary() + "."
	}
	return e
}

// resolve replaces names by ids.
func (n *policyNames) resolve(refs []policy.Reference) (problems []mplp.Problem) {
	for _, ref := range refs {
		id, fault := n.find(ref)
		if fault != "" {
			problems = append(problems, mplp.Problem{Path: ref.Path, Code: "reference", Message: fault})
			continue
		}
		*ref.Name = id
	}
	return problems
}

// find returns the id of the role or key that a place names, or what is wrong with it.
func (n *policyNames) find(ref policy.Reference) (id, fault string) {
	switch {
	case *ref.Name == "":
		return "", "" // Parse refuses it
	case ref.IsKey:
		return n.findKey(*ref.Name)
	}
	role, err := findRole(n.r, *ref.Name)
	if ErrorCode(err) == CodeNotFound {
		return "", "there is no role " + *ref.Name
	} else if err != nil {
		n.err = err
		return "", ""
	}
	return role.ID, ""
}

// findKey finds any key by its id, and one in force by its name.
func (n *policyNames) findKey(idOrName string) (id, fault string) {
	for _, k := range n.allKeys() {
		if k.ID == idOrName {
			return k.ID, ""
		}
		if k.RevokedAt.IsZero() && strings.EqualFold(k.Name, idOrName) {
			id = k.ID
		}
	}
	if id == "" {
		return "", "there is no key " + idOrName
	}
	return id, ""
}

func (n *policyNames) allKeys() []*Key {
	if n.keys == nil {
		var err error
		n.keys, err = n.r.Keys()
		n.err = errors.Join(n.err, err)
	}
	return n.keys
}

// named returns the document with names, as far as they lead back to the ids.
func (n *policyNames) named(d *policy.Document) *policy.Document {
	return d.Renamed(func(ref policy.Reference) string {
		id, name := *ref.Name, n.label(ref)
		if back, _ := n.find(policy.Reference{IsKey: ref.IsKey, Name: &name}); back != id {
			return id
		}
		return name
	})
}

// label returns what people call a role or key, and the id of one that there is not.
func (n *policyNames) label(ref policy.Reference) string {
	id := *ref.Name
	if !ref.IsKey {
		return n.roleName(id)
	}
	if i := slices.IndexFunc(n.allKeys(), func(k *Key) bool { return k.ID == id }); i >= 0 {
		return n.keys[i].Name
	}
	return id
}

func (n *policyNames) roleName(id string) string {
	name, err := roleName(n.r, id)
	n.err = errors.Join(n.err, err)
	return name
}

// sentence says what a document does, with names.
func (n *policyNames) sentence(d *policy.Document) string {
	return d.Renamed(n.label).Sentence(func(name string) string { return name })
}

// state is a version as a request to change it shows it: the document with names, and
// whether it is in force.
func (n *policyNames) state(v *PolicyVersion) json.RawMessage {
	o := mplp.NewObject()
	if d, err := v.parse(); d != nil && (err == nil || isOnlyCondition(err)) {
		parsed, err := mplp.ParseObject(n.named(d).Marshal(), mplp.DefaultLimits)
		if err != nil {
			n.err = errors.Join(n.err, err)
			return nil
		}
		o = parsed
	} else { // it cannot be read, and is disabled
		o.Set("name", mplp.String(v.Name))
		o.Set("document", mplp.String(v.Document))
	}
	o.Set("enabled", mplp.Bool(v.Enabled))
	return json.RawMessage(o.Bytes())
}
