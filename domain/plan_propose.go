package domain

import (
	"context"

	"countersign/domain/mplp"
)

// ProposeInput is what the proposer of a plan may choose.
type ProposeInput struct {
	Reason          string // empty: a standard sentence
	RequestedByRole string
	RequiredRole    string
	Timeout         *int64 // seconds; nil: it does not expire
	Supersedes      string // empty: the confirm that was decided last
}

// ProposePlan moves a draft to proposed and creates its confirm in one transaction. A
// proposed plan whose confirm was cancelled may be proposed again. Needs plan.propose.
func (s *Service) ProposePlan(ctx context.Context, ref Ref, id string, in ProposeInput) (c *Confirm, err error) {
	err = s.write(ctx, ref, func(tx Tx, p *Principal) error {
		plan, err := visiblePlan(tx, p, id)
		if err != nil {
			return err
		}
		if err := p.require(PlanPropose); err != nil {
			return err
		}
		confirms, err := plan.loadConfirms(tx)
		if err != nil {
			return err
		}
		if err := plan.checkProposable(confirms); err != nil {
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
		sent, err := s.parseConfirm(s.proposal(plan, in))
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

// checkProposable refuses a plan that cannot be proposed now.
func (p *Plan) checkProposable(confirms []*Confirm) error {
	if err := p.checkUnlocked(); err != nil {
		return err
	}
	if p.Imported {
		return refuse(CodeInvalidTransition, "The plan is an imported record and cannot be proposed.")
	}
	if p.Status == PlanDraft {
		return nil
	}
	if p.Status == PlanProposed {
		for _, c := range confirms {
			if c.Status == Pending && c.Binding == BoundPlan && !c.Imported {
				return refuse(CodeInvalidTransition, "The plan is already proposed and waits for a decision.")
			}
		}
		return nil
	}
	return refuse(CodeInvalidTransition, "Only a draft can be proposed; this plan is %s.", p.Status)
}

// lastProposal returns the id of the latest decided confirm about the whole plan.
func lastProposal(confirms []*Confirm) string {
	for _, c := range confirms { // newest first
		if c.Binding == BoundPlan && c.IsFinal() && !c.Imported {
			return c.ID
		}
	}
	return ""
}

// proposal builds the confirm that asks for the plan's approval.
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
