package domain

import (
	"context"
	"errors"
	"slices"

	"countersign/domain/mplp"
)

// PlanDetail is a plan with everything that its page shows.
type PlanDetail struct {
	Plan       *Plan
	Document   *mplp.Plan // as sent
	Context    *Context   // nil: unknown, or not for this reader
	Confirms   []*Confirm // newest first
	ProposeErr error      // nil: this reader may propose it now
	CancelErr  error      // nil: this reader may cancel it now
}

// Plan returns a plan. Its poster may see it, and whoever holds a plan capability,
// confirm.approve, confirm.reject or trace.read. A key that may not decide sees only
// its group's.
func (s *Service) Plan(ctx context.Context, ref Ref, id string) (detail *PlanDetail, err error) {
	err = s.read(ctx, ref, func(r Reader, p *Principal) error {
		plan, err := visiblePlan(r, p, id)
		if err != nil {
			return err
		}
		detail, err = s.planDetail(r, p, plan)
		return err
	})
	return detail, err
}

func (s *Service) planDetail(r Reader, p *Principal, plan *Plan) (*PlanDetail, error) {
	document, err := s.loadPlanDocument(r, plan)
	if err != nil {
		return nil, err
	}
	detail := &PlanDetail{Plan: plan, Document: document}
	c, err := r.Context(plan.ContextID)
	if err != nil && !errors.Is(err, ErrNotFound) {
		return nil, err
	}
	if err == nil && p.CanReadContexts() {
		detail.Context = c
	}
	if detail.Confirms, err = plan.loadConfirms(r); err != nil {
		return nil, err
	}
	if detail.ProposeErr = p.require(PlanPropose); detail.ProposeErr == nil {
		detail.ProposeErr = plan.checkProposable(detail.Confirms)
	}
	detail.CancelErr = plan.checkCancellable(p)
	return detail, nil
}

// Plans lists the plans that the reader may see, newest first.
func (s *Service) Plans(ctx context.Context, ref Ref, f PlanFilter, page Page) (list []*Plan, next string, err error) {
	err = s.read(ctx, ref, func(r Reader, p *Principal) error {
		f.Visible = p.planVisibility()
		list, next, err = r.Plans(f, page)
		return err
	})
	return list, next, err
}

// PlanRows is Plans for lists.
func (s *Service) PlanRows(ctx context.Context, ref Ref, f PlanFilter, page Page) (list []*PlanRow, next string, err error) {
	err = s.read(ctx, ref, func(r Reader, p *Principal) error {
		f.Visible = p.planVisibility()
		plans, after, err := r.Plans(f, page)
		if err != nil {
			return err
		}
		next = after
		ids := make([]string, len(plans))
		for i, plan := range plans {
			ids[i] = plan.ID
		}
		waiting, err := r.PendingOfPlans(ids)
		for _, plan := range plans {
			list = append(list, &PlanRow{*plan, waiting[plan.ID]})
		}
		return err
	})
	return list, next, err
}

// counts reports whether a confirm counts for the plan. One that another group
// requested before the plan existed does not: nobody blocks what they may not see.
func (p *Plan) counts(c *Confirm) bool { return c.TargetHash != "" || c.RequestedGroup == p.Group }

// loadConfirms returns the confirms that count for the plan, newest first.
func (p *Plan) loadConfirms(r Reader) ([]*Confirm, error) {
	list, err := r.ConfirmsOfPlan(p.ID)
	return slices.DeleteFunc(list, func(c *Confirm) bool { return !p.counts(c) }), err
}

func visiblePlan(r Reader, p *Principal, id string) (*Plan, error) {
	plan, err := r.Plan(id)
	if err != nil {
		return nil, notFoundOr(err, "plan")
	}
	if !plan.isVisibleTo(p) {
		return nil, errNotFound("plan")
	}
	return plan, nil
}

func (plan *Plan) isVisibleTo(p *Principal) bool { return plan.Group == p.Group || p.CanReadPlans() }

// planVisibility says which plans the principal sees in lists.
func (p *Principal) planVisibility() Visibility {
	return Visibility{All: p.CanReadPlans(), Group: p.Group}
}

// CanReadPlans reports whether the principal may see the plans of other groups. A key
// may only if it may decide.
func (p *Principal) CanReadPlans() bool {
	if p.Kind == KindAgent {
		return p.canDecide()
	}
	return p.CanAny(PlanCreate, PlanPropose, PlanExecute, "plan.*", ConfirmApprove, ConfirmReject, TraceRead)
}
