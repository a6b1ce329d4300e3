package domain

import (
	"errors"

	"countersign/domain/evidence"
	"countersign/domain/mplp"
	"countersign/domain/policy"
)

// pastRequester is what is still known of who posted a request.
type pastRequester struct {
	owner string // name of the user who owns the key
	roles []string
}

// pastPost returns a request as policies would have seen it.
func (t *trial) pastPost(s *Service, c *Confirm, content *evidence.Content) (*policy.Post, error) {
	by, err := t.requester(c)
	if err != nil {
		return nil, err
	}
	post := &policy.Post{
		TargetType: content.TargetType, TargetID: content.TargetID, StepID: content.StepID, Reason: content.Reason,
		Name: c.RequestedByName, Owner: by.owner, Roles: by.roles, Actions: policyActions(content.Actions),
		RequiredRole: c.RequiredRole, ReceivedAt: c.ReceivedAt,
	}
	if c.RequestedBy.Kind == KindAgent {
		post.Key = c.RequestedBy.ID
	}
	post.Plan, err = t.pastPlan(s, c)
	return post, err
}

func (t *trial) requester(c *Confirm) (*pastRequester, error) {
	if known := t.requesters[c.RequestedBy]; known != nil {
		return known, nil
	}
	by := new(pastRequester)
	t.requesters[c.RequestedBy] = by
	switch c.RequestedBy.Kind {
	case KindUser:
		u, err := t.r.User(c.RequestedBy.ID)
		if err != nil {
			return by, ignoreNotFound(err)
		}
		by.roles = u.Roles
	case KindAgent:
		key, err := t.r.Key(c.RequestedBy.ID)
		if err != nil {
			return by, ignoreNotFound(err)
		}
		by.roles = key.Roles
		if key.OwnerID == "" {
			return by, nil
		}
		owner, err := t.r.User(key.OwnerID)
		if err != nil {
			return by, ignoreNotFound(err)
		}
		by.owner = owner.Name
	}
	return by, nil
}

// pastPlan returns the plan that a request concerns if it is still as it was then, and the
// reader sees it.
func (t *trial) pastPlan(s *Service, c *Confirm) (*policy.Plan, error) {
	if c.PlanID == "" || c.TargetHash == "" {
		return nil, nil
	}
	plan, err := visiblePlan(t.r, t.p, c.PlanID)
	if err == nil && plan.Hash == c.TargetHash {
		var document *mplp.Plan
		if document, err = s.loadPlanDocument(t.r, plan); err == nil {
			return policyPlan(document), nil
		}
	}
	if errors.Is(err, ErrUnproven) {
		return nil, nil
	}
	return nil, ignoreNotFound(err)
}
