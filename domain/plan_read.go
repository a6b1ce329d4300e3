package domain

import (
	"context"
	"errors"
	"slices"

	"countersign/domain/mplp"
)

// PlanDetail is a plan with everything its page shows.
type PlanDetail struct {
	Plan     *Plan
	Document *mplp.Plan // as sent
	Context  *Context   // nil: unknown, or not for this reader
	Confirms []*Confirm // newest first
	Propose  error      // nil: this reader may propose it now
	Cancel   error      // nil: this reader may cancel it now
}

// Plan finds a plan. Its poster sees it, and whoever holds a plan capability,
// confirm.approve, confirm.reject or trace.read; a key only its group's.
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
	document, err := s.planDocument(r, plan)
	if err != nil {
		return nil, err
	}
	detail := &PlanDetail{Plan: plan, Document: document}
	c, err := r.Context(plan.ContextID)
	if err != nil && !errors.Is(err, ErrNotFound) {
		return nil, err
	}
	if err == nil && p.ReadsContexts() {
		detail.Context = c
	}
	if detail.Confirms, err = plan.confirms(r); err != nil {
		return nil, err
	}
	if detail.Propose = p.needs(PlanPropose); detail.Propose == nil {
		detail.Propose = plan.proposable(detail.Confirms)
	}
	detail.Cancel = plan.cancellable(p)
	return detail, nil
}

// Plans lists the plans that the reader may see, newest first.
func (s *Service) Plans(ctx context.Context, ref Ref, f PlanFilter, page Page) (list []*Plan, next string, err error) {
	err = s.read(ctx, ref, func(r Reader, p *Principal) error {
		f.Visible = p.plans()
		list, next, err = r.Plans(f, page)
		return err
	})
	return list, next, err
}

// PlanRows is Plans with what a list shows beside.
func (s *Service) PlanRows(ctx context.Context, ref Ref, f PlanFilter, page Page) (list []*PlanRow, next string, err error) {
	err = s.read(ctx, ref, func(r Reader, p *Principal) error {
		f.Visible = p.plans()
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

// counts says whether a confirm counts for the plan. One that another group asked for
// before there was the plan does not: nobody gates what they may not see.
func (p *Plan) counts(c *Confirm) bool { return c.TargetHash != "" || c.RequestedGroup == p.Group }

// confirms are those that count for the plan, newest first.
func (p *Plan) confirms(r Reader) ([]*Confirm, error) {
	list, err := r.ConfirmsOfPlan(p.ID)
	return slices.DeleteFunc(list, func(c *Confirm) bool { return !p.counts(c) }), err
}

func visiblePlan(r Reader, p *Principal, id string) (*Plan, error) {
	plan, err := r.Plan(id)
	if err != nil {
		return nil, found(err, "plan")
	}
	if !plan.seenBy(p) {
		return nil, notFound("plan")
	}
	return plan, nil
}

func (plan *Plan) seenBy(p *Principal) bool { return plan.Group == p.Group || p.ReadsPlans() }

// plans are those that a principal sees in lists.
func (p *Principal) plans() Visibility { return Visibility{All: p.ReadsPlans(), Group: p.Group} }

// ReadsPlans says whether a principal sees the plans of other groups. A key
// does so only when it may decide.
func (p *Principal) ReadsPlans() bool {
	if p.Kind == KindAgent {
		return p.decides()
	}
	return p.CanAny(PlanCreate, PlanPropose, PlanExecute, "plan.*", ConfirmApprove, ConfirmReject, TraceRead)
}
