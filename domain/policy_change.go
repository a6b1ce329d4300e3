package domain

import (
	"fmt"

	"countersign/domain/evidence"
	"countersign/domain/glyph"
	"countersign/domain/mplp"
	"countersign/domain/policy"
	"countersign/domain/quorum"
)

// policyChange is a version that is to be saved.
type policyChange struct {
	names    *policyNames
	before   *PolicyVersion   // the current version; nil: a new policy
	after    *PolicyVersion   // what a person chooses of it
	document *policy.Document // of after; nil: it is only disabled
	by       *Confirm         // that was approved for it; nil: none was needed
}

func (c *policyChange) setDocument(data []byte, enabled bool) (err error) {
	if c.document, err = c.names.parse(data); err != nil {
		return err
	}
	c.after = &PolicyVersion{Name: c.document.Name, Enabled: enabled, Document: string(c.document.Marshal())}
	return nil
}

// changesNothing reports whether the current version says the same.
func (c *policyChange) changesNothing() bool {
	return c.before != nil && c.before.Document == c.after.Document && c.before.Enabled == c.after.Enabled
}

// event returns the type of the entry. That a policy is no longer in force is what counts
// most of a change.
func (c *policyChange) event() string {
	switch {
	case c.before == nil:
		return "policy.created"
	case c.before.Enabled && !c.after.Enabled:
		return "policy.disabled"
	}
	return "policy.modified"
}

// warnings are about a document that was saved.
func (c *policyChange) warnings() ([]mplp.Warning, error) {
	if c.document == nil {
		return nil, nil
	}
	may, err := c.names.r.Voters()
	if err != nil {
		return nil, err
	}
	list := c.document.Warnings()
	for _, short := range c.names.shortages(c.document, may) {
		list = append(list, mplp.Warning{Path: "quorum", Code: CodeUnattainable,
			Message: fmt.Sprintf("needs %d of %s, and %d may approve: requests that it matches will time out", short.Needed, short.Role, short.Holders)})
	}
	return list, c.names.err
}

// insertPolicy writes and logs a version. facts are added to the entry's data.
func (s *Service) insertPolicy(tx Tx, p *Principal, change *policyChange, facts ...any) (v *PolicyVersion, err error) {
	next := *change.after
	v = &next
	v.Version, v.SavedBy, v.SavedByName, v.SavedAt = 1, p.Ref, p.Name, s.clock()
	if change.by != nil {
		v.SavedBy, v.SavedByName = change.by.RequestedBy, change.by.RequestedByName
	}
	switch {
	case change.before != nil:
		v.ID, v.Version = change.before.ID, change.before.Version+1
	case v.ID == "":
		if v.ID, err = s.newID(); err != nil {
			return nil, err
		}
	}
	if err := tx.InsertPolicy(v); err != nil {
		return nil, err
	}
	facts = append(facts, "name", v.Name, "version", v.Version, "hash", quorum.PolicyHash([]byte(v.Document)), "enabled", v.Enabled)
	return v, s.log(tx, p, evidence.Entry{Type: change.event(), At: v.SavedAt, ObjectID: v.ID, Data: data(facts...)})
}

// checkPolicyName refuses a name that cannot be told from another policy's: policies are
// found by name or id.
func checkPolicyName(all []*PolicyVersion, change *policyChange) error {
	name := change.after.Name
	if err := checkNewName("name", name); err != nil {
		return err
	}
	folded := glyph.Fold(name)
	for _, other := range all {
		isSame := change.before != nil && other.ID == change.before.ID
		if !isSame && (glyph.Fold(other.Name) == folded || other.ID == name) {
			return refuse(CodeIDTaken, "There already is a policy named %s.", name)
		}
	}
	return nil
}
