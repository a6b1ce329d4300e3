package domain

import (
	"errors"
	"slices"

	"countersign/domain/evidence"
)

// needed lists the capabilities that a decision takes: several actions take
// each that their decisions need.
func needed(d *Decision) (list []Capability) {
	approves, rejects := d.Status == Approved, d.Status == Rejected && len(d.Actions) == 0
	for _, a := range d.Actions {
		approves = approves || a.Type != ActionReject
		rejects = rejects || a.Type == ActionReject
	}
	if approves {
		list = append(list, ConfirmApprove)
	}
	if rejects {
		list = append(list, ConfirmReject)
	}
	return list
}

// authority checks that the principal may make this decision and names the role
// it is made in.
func (s *Service) authority(r Reader, p *Principal, c *Confirm, needed []Capability, asked string) (role string, err error) {
	for _, capability := range needed {
		if err := p.needs(capability); err != nil {
			return "", err
		}
	}
	if !p.MayDecide {
		return "", &Error{Code: CodeMissingCapability, Capability: needed[0], Message: "This key may not decide. Make one with may-decide and an owner."}
	}
	if s.forbidsOwn(p) {
		if own, err := p.ownRequest(r, c); err != nil {
			return "", err
		} else if own != "" {
			return "", refuse(CodeSelfApproval, "%s", own)
		}
	}
	acting := p.roleFor(needed...)
	if c.RequiredRole != "" {
		required, err := r.Role(c.RequiredRole)
		if err != nil && !errors.Is(err, ErrNotFound) {
			return "", err
		}
		if err != nil || !p.Holds(c.RequiredRole) {
			return "", refuse(CodeRoleNotHeld, "The role %s must decide this, and you do not hold it.", requiredName(required, c))
		}
		acting = required
	}
	if asked != "" {
		chosen, err := findRole(r, asked)
		if ErrorCode(err) == CodeInternal {
			return "", err
		}
		if err != nil || !p.Holds(chosen.ID) || slices.ContainsFunc(needed, func(c Capability) bool { return !chosen.Grants(c) }) {
			return "", refuse(CodeRoleNotHeld, "You cannot decide in the role %s: you must hold it, and it must allow this.", asked)
		}
		if c.RequiredRole != "" && chosen.ID != c.RequiredRole {
			return "", refuse(CodeRoleNotHeld, "The role %s must decide this.", acting.Name)
		}
		acting = chosen
	}
	if acting == nil { // several roles together allow it: the one for the gravest
		acting = p.roleFor(needed[0])
	}
	return acting.Name, nil
}

// ownRequest says why a confirm is the principal's own, "" if it is not: its group
// requested it, or made the key that did.
func (p *Principal) ownRequest(r Reader, c *Confirm) (why string, err error) {
	if p.Group == c.RequestedGroup {
		return "Nobody decides what they, or their keys, requested.", nil
	}
	if c.RequestedBy.Kind != KindAgent {
		return "", nil
	}
	key, err := r.Key(c.RequestedBy.ID)
	switch {
	case errors.Is(err, ErrNotFound):
		return "The key that requested this is not known, so nobody can tell who made it.", nil
	case err == nil && key.Maker == p.Group:
		return "Nobody decides what a key requested that they made.", nil
	}
	return "", err
}

// forbidsOwn says whether the principal may not decide what is its own request.
func (s *Service) forbidsOwn(p *Principal) bool { return !s.selfApproval || p.Kind != KindUser }

func requiredName(r *Role, c *Confirm) string {
	if r == nil {
		return c.RequiredRole
	}
	return r.Name
}

// open refuses what cannot be decided in its present state.
func (c *Confirm) open() *Error {
	switch {
	case c.Locked:
		return refuse(CodeLocked, "The confirm is locked: nobody can decide it, but it can be cancelled.")
	case c.Imported:
		return refuse(CodeInvalidTransition, "The confirm is an import: it is a record, and nobody decides it.")
	case c.Final() && c.Cause == CauseTimeout:
		return refuse(CodeExpired, "The deadline has passed: the confirm was rejected because nobody decided.")
	case c.Final():
		return refuse(CodeAlreadyDecided, "The confirm was %s already.", c.Status)
	}
	return nil
}

// planUnlocked refuses a decision that would move a locked plan.
func (s *Service) planUnlocked(r Reader, c *Confirm) error {
	if c.PlanID == "" || c.TargetHash == "" {
		return nil
	}
	plan, err := r.Plan(c.PlanID)
	if err != nil {
		return c.lost(err)
	}
	return plan.unlocked()
}

// sameContent refuses a decision on anything but what is there now: another
// hash, or a plan that has changed since, or whose steps are not those of its hash.
func (s *Service) sameContent(r Reader, c *Confirm, sent string) error {
	changed := refuse(CodeContentChanged, "The content is not what you were shown. Look at it again.")
	if sent != "" && sent != c.ContentHash {
		return changed
	}
	if c.PlanID == "" || c.TargetHash == "" {
		return nil
	}
	plan, err := r.Plan(c.PlanID)
	if err == nil && plan.Hash != c.TargetHash {
		return changed
	}
	if err == nil {
		_, err = s.planDocument(r, plan)
	}
	return c.lost(err)
}

// sameContext refuses to approve a change of a context that is another one by now:
// it is shown as it is, and would be approved as it was.
func (c *Confirm) sameContext(r Reader) error {
	if c.TargetType != TargetContext || c.TargetHash == "" {
		return nil
	}
	target, err := r.Context(c.TargetID)
	if err == nil && evidence.BytesHash(target.Native) != c.TargetHash {
		return refuse(CodeContentChanged, "The context has changed since this was asked, so it cannot be approved any more. The agent has to ask again.")
	}
	return c.lost(err)
}
