package domain

import (
	"context"

	"countersign/domain/mplp"
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
