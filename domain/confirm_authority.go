package domain

import (
	"errors"
	"slices"

	"countersign/domain/evidence"
)

// neededCapabilities lists what a decision needs. Several actions need what each of
// their decisions needs.
func neededCapabilities(d *Decision) (list []Capability) {
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

// authorizeDecision checks that the principal may make this decision and returns the
// name of the role it is made in.
func (s *Service) authorizeDecision(r Reader, p *Principal, c *Confirm, needed []Capability, asked string) (role string, err error) {
	for _, capability := range needed {
		if err := p.require(capability); err != nil {
			return "", err
		}
	}
	if !p.MayDecide {
		return "", &Error{Code: CodeMissingCapability, Capability: needed[0], Message: "This key cannot decide. Create one with may-decide and an owner."}
	}
	if s.forbidsSelfApproval(p) {
		if own, err := p.ownRequestReason(r, c); err != nil {
			return "", err
		} else if own != "" {
			return "", refuse(CodeSelfApproval, "%s", own)
		}
	}
	acting := p.leastCapableRole(needed...)
	if c.RequiredRole != "" {
		required, err := r.Role(c.RequiredRole)
		if err != nil && !errors.Is(err, ErrNotFound) {
			return "", err
		}
		if err != nil || !p.Holds(c.RequiredRole) {
			return "", refuse(CodeRoleNotHeld, "Only the role %s can decide this, and you do not hold it.", requiredName(required, c))
		}
		acting = required
	}
	if asked != "" {
		chosen, err := findRole(r, asked)
		if ErrorCode(err) == CodeInternal {
			return "", err
		}
		if err != nil || !p.Holds(chosen.ID) || slices.ContainsFunc(needed, func(c Capability) bool { return !chosen.Grants(c) }) {
			return "", refuse(CodeRoleNotHeld, "You cannot decide in the role %s. You must hold it, and it must allow this.", asked)
		}
		if c.RequiredRole != "" && chosen.ID != c.RequiredRole {
			return "", refuse(CodeRoleNotHeld, "Only the role %s can decide this.", acting.Name)
		}
		acting = chosen
	}
	if acting == nil { // only several roles together allow it: name the one for the first
		acting = p.leastCapableRole(needed[0])
	}
	return acting.Name, nil
}

// ownRequestReason returns why a confirm counts as the principal's own, "" if it does
// not: its group requested it, or created the key that did.
func (p *Principal) ownRequestReason(r Reader, c *Confirm) (why string, err error) {
	if p.Group == c.RequestedGroup {
		return "You cannot decide your own or your keys' requests.", nil
	}
	if c.RequestedBy.Kind != KindAgent {
		return "", nil
	}
	key, err := r.Key(c.RequestedBy.ID)
	switch {
	case errors.Is(err, ErrNotFound):
		return "The key that requested this is unknown. You might have created it, so you cannot decide.", nil
	case err == nil && key.CreatedBy == p.Group:
		return "You cannot decide requests of a key that you created.", nil
	}
	return "", err
}

// forbidsSelfApproval reports whether the principal may not decide their own requests.
func (s *Service) forbidsSelfApproval(p *Principal) bool {
	return !s.selfApproval || p.Kind != KindUser
}

// requiredName returns the name of the required role, or its id if it no longer exists.
func requiredName(r *Role, c *Confirm) string {
	if r == nil {
		return c.RequiredRole
	}
	return r.Name
}

// checkDecidable refuses what cannot be decided in its present state.
func (c *Confirm) checkDecidable() *Error {
	switch {
	case c.Locked:
		return refuse(CodeLocked, "The request is locked. Nobody can decide it, but you can cancel it.")
	case c.Imported:
		return refuse(CodeInvalidTransition, "The request is an imported record. Nobody can decide it.")
	case c.IsFinal() && c.Cause == CauseTimeout:
		return refuse(CodeExpired, "The deadline has passed. The request was rejected because nobody decided.")
	case c.IsFinal():
		return refuse(CodeAlreadyDecided, "The request was already %s.", c.Status)
	}
	return nil
}

// checkPlanUnlocked refuses a decision that would move a locked plan.
func (s *Service) checkPlanUnlocked(r Reader, c *Confirm) error {
	if c.PlanID == "" || c.TargetHash == "" {
		return nil
	}
	plan, err := r.Plan(c.PlanID)
	if err != nil {
		return c.missingAsUnproven(err)
	}
	return plan.checkUnlocked()
}

// checkContentUnchanged refuses a decision on anything but what is stored now: another
// hash was sent, the plan has changed since, or its steps do not match its hash.
func (s *Service) checkContentUnchanged(r Reader, c *Confirm, sent string) error {
	changed := refuse(CodeContentChanged, "The content has changed since you saw it. Check it again.")
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
		_, err = s.loadPlanDocument(r, plan)
	}
	return c.missingAsUnproven(err)
}

// checkContextUnchanged refuses to approve a change of a context that was changed
// since: the page shows the new one, but the old one would be approved.
func (c *Confirm) checkContextUnchanged(r Reader) error {
	if c.TargetType != TargetContext || c.TargetHash == "" {
		return nil
	}
	target, err := r.Context(c.TargetID)
	if err == nil && evidence.HashBytes(target.Native) != c.TargetHash {
		return refuse(CodeContentChanged, "The context has changed since this request, so you cannot approve it. The agent must ask again.")
	}
	return c.missingAsUnproven(err)
}
