package domain

import (
	"context"

	"countersign/domain/mplp"
)

// ProposeInput is what may be said when a plan is proposed.
type ProposeInput struct {
	Reason          string // empty: S0's sentence
	RequestedByRole string
	RequiredRole    string
	Timeout         *int64 // seconds; nil: it does not expire
	Supersedes      string // empty: the confirm that was decided last
}

// ProposePlan moves a draft to proposed and creates its confirm, in one
// transaction (requirements C-28 to C-32). A proposed plan whose confirm was
// cancelled may be proposed again (contradiction 5). Needs plan.propose.
func (s *Service) ProposePlan(ctx context.Context, ref Ref, id string, in ProposeInput) (c *Confirm, err error) {
	err = s.as(ctx, ref, func(tx Tx, p *Principal) error {
		plan, err := visiblePlan(tx, p, id)
		if err != nil {
			return err
		}
		if err := p.needs(PlanPropose); err != nil {
			return err
		}
		confirms, err := plan.confirms(tx)
		if err != nil {
			return err
		}
		if err := plan.proposable(confirms); err != nil {
			return err
		}
		if plan.Status == PlanDraft {
			if err := s.movePlan(tx, p, plan, PlanProposed, "plan.proposed"); err != nil {
				return err
			}
		}
		if in.Supersedes == "" {
			in.Supersedes = lastProposal(confirms)
		}
		sent, err := s.posting(s.proposal(plan, in))
		if err != nil {
			return err
		}
		posted, err := s.postConfirm(tx, p, sent)
		if err != nil {
			return err
		}
		c = posted.Confirm
		return nil
	})
	return c, err
}

// proposable refuses a plan that cannot be proposed now.
func (p *Plan) proposable(confirms []*Confirm) error {
	if err := p.unlocked(); err != nil {
		return err
	}
	if p.Imported {
		return refuse(CodeInvalidTransition, "The plan is an import: it is a record and cannot be proposed.")
	}
	if p.Status == PlanDraft {
		return nil
	}
	if p.Status == PlanProposed {
		for _, c := range confirms {
			if c.Status == Pending && c.Binding == BoundPlan && !c.Imported {
				return refuse(CodeInvalidTransition, "The plan is proposed already and waits for a decision.")
			}
		}
		return nil
	}
	return refuse(CodeInvalidTransition, "Only a draft can be proposed; this plan is %s.", p.Status)
}

// lastProposal is the confirm about the whole plan that came before.
func lastProposal(confirms []*Confirm) string {
	for _, c := range confirms { // newest first
		if c.Binding == BoundPlan && c.Final() && !c.Imported {
			return c.ID
		}
	}
	return ""
}

// proposal builds the confirm of requirements C-30.
func (s *Service) proposal(plan *Plan, in ProposeInput) *mplp.Confirm {
	reason := in.Reason
	if reason == "" {
		reason = "Requesting approval for plan: " + plan.Title
	}
	c := &mplp.Confirm{
		TargetType: string(TargetPlan), TargetID: plan.ID, Reason: reason, RequestedByRole: in.RequestedByRole,
		RequiredRole: in.RequiredRole, Supersedes: in.Supersedes, Timeout: in.Timeout, Native: mplp.NewObject(),
	}
	set := func(name, value string) {
		if value != "" {
			c.Native.Set(name, mplp.String(value))
		}
	}
	c.Native.Set("meta", mplp.DefaultMeta())
	set("target_type", c.TargetType)
	set("target_id", c.TargetID)
	set("reason", c.Reason)
	set("requested_by_role", c.RequestedByRole)
	set("required_role", c.RequiredRole)
	set("supersedes", c.Supersedes)
	if c.Timeout != nil {
		c.Native.Set("timeout", mplp.Int(*c.Timeout))
	}
	return c
}
