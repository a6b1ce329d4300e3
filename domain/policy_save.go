package domain

import (
	"context"
	"fmt"
	"strings"

	"countersign/domain/evidence"
	"countersign/domain/mplp"
	"countersign/domain/policy"
	"countersign/domain/quorum"
)

// PolicyInput is a policy as a form or a command asks for it.
type PolicyInput struct {
	ID       string // empty: a new policy
	Version  int64  // of an existing one: the version that was shown
	Document []byte // JSON; roles and keys by id or name
	Enabled  bool
}

// SavedPolicy is what became of a change.
type SavedPolicy struct {
	Policy   *PolicyVersion // the current version; nil with Confirm
	Confirm  *Confirm       // the request that must be approved first
	Warnings []mplp.Warning // about the document
}

// CodeUnattainable is of the warning that too few people may vote.
const CodeUnattainable = "unattainable"

// SavePolicy saves a new policy, or a new version of one. A version that changes nothing is
// not saved: the answer has the current one. An edit of another version than the current
// one is refused. Needs policy.modify.
func (s *Service) SavePolicy(ctx context.Context, ref Ref, in PolicyInput) (*SavedPolicy, error) {
	return s.changePolicy(ctx, ref, func(tx Tx, all []*PolicyVersion) (*policyChange, error) {
		change := &policyChange{names: &policyNames{r: tx}}
		if in.ID != "" {
			before, err := findPolicy(all, in.ID)
			if err != nil {
				return nil, err
			}
			if in.Version != before.Version {
				return nil, refuse(CodeContentChanged, "Somebody saved version %d of this policy after you opened version %d. Nothing was saved. Look at what changed, then save again.", before.Version, in.Version)
			}
			change.before = before
		} else if len(all) >= MaxPolicies {
			return nil, refuse(CodeTooLarge, "There are %d policies already, the most there may be. Change one that is disabled.", MaxPolicies)
		}
		if err := change.setDocument(in.Document, in.Enabled); err != nil {
			return nil, err
		}
		return change, checkPolicyName(all, change)
	})
}

// DisablePolicy takes a policy out of force, by its id or name. What is pending under it
// stays as it is. Needs policy.modify.
func (s *Service) DisablePolicy(ctx context.Context, ref Ref, id string) (*SavedPolicy, error) {
	return s.changePolicy(ctx, ref, func(tx Tx, all []*PolicyVersion) (*policyChange, error) {
		before, err := findPolicy(all, id)
		if err != nil {
			return nil, err
		}
		if !before.Enabled {
			return nil, refuse(CodeInvalidTransition, "The policy is disabled already.")
		}
		after := *before // whatever became of its document
		after.Enabled = false
		return &policyChange{names: &policyNames{r: tx}, before: before, after: &after}, nil
	})
}

// EnablePolicy puts a policy into force, by its id or name. Everything that it names must
// still be there. Needs policy.modify.
func (s *Service) EnablePolicy(ctx context.Context, ref Ref, id string) (*SavedPolicy, error) {
	return s.changePolicy(ctx, ref, func(tx Tx, all []*PolicyVersion) (*policyChange, error) {
		before, err := findPolicy(all, id)
		if err != nil {
			return nil, err
		}
		if before.Enabled {
			return nil, refuse(CodeInvalidTransition, "The policy is enabled already.")
		}
		change := &policyChange{names: &policyNames{r: tx}, before: before}
		return change, change.setDocument([]byte(before.Document), true)
	})
}

// policyChange is a version that is to be saved.
type policyChange struct {
	names    *policyNames
	before   *PolicyVersion   // the current version; nil: a new policy
	after    *PolicyVersion   // what a person chooses of it
	document *policy.Document // of after; nil: it is only disabled
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
	may, err := voters(c.names.r)
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

// changePolicy saves what choose returns, or requests it where a policy guards policies.
func (s *Service) changePolicy(ctx context.Context, ref Ref, choose func(tx Tx, all []*PolicyVersion) (*policyChange, error)) (saved *SavedPolicy, err error) {
	err = s.write(ctx, ref, func(tx Tx, p *Principal) error {
		saved = new(SavedPolicy)
		if err := p.require(PolicyModify); err != nil {
			return err
		}
		all, err := tx.Policies()
		if err != nil {
			return err
		}
		change, err := choose(tx, all)
		if err != nil {
			return err
		}
		if saved.Warnings, err = change.warnings(); err != nil {
			return err
		}
		if change.changesNothing() {
			current := *change.before // rows may be another's too
			saved.Policy = &current
			return nil
		}
		if saved.Confirm, err = s.requestGuarded(tx, p, change); err != nil || saved.Confirm != nil {
			return err
		}
		saved.Policy, err = s.insertPolicy(tx, p, change)
		return err
	})
	if err != nil {
		return nil, err
	}
	return saved, nil
}

// insertPolicy writes and logs a version. facts are added to the entry's data.
func (s *Service) insertPolicy(tx Tx, p *Principal, change *policyChange, facts ...any) (v *PolicyVersion, err error) {
	next := *change.after
	v = &next
	v.Version, v.SavedBy, v.SavedByName, v.SavedAt = 1, p.Ref, p.Name, s.clock()
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
	for _, other := range all {
		isSame := change.before != nil && other.ID == change.before.ID
		if !isSame && (strings.EqualFold(other.Name, name) || other.ID == name) {
			return refuse(CodeIDTaken, "There already is a policy named %s.", name)
		}
	}
	return nil
}
