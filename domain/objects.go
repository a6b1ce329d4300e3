package domain

import (
	"context"
	"errors"

	"countersign/domain/evidence"
	"countersign/domain/mplp"
)

// ConfirmObjects is Confirms with each as the JSON interface gives it. One
// whose content has been forgotten is left out.
func (s *Service) ConfirmObjects(ctx context.Context, ref Ref, f ConfirmFilter, page Page) (list [][]byte, next string, err error) {
	rows, next, err := s.Confirms(ctx, ref, f, page)
	if err != nil {
		return nil, "", err
	}
	err = s.read(ctx, ref, func(r Reader, _ *Principal) error {
		for _, row := range rows {
			object, err := confirmObject(r, &row.Confirm)
			if errors.Is(err, ErrNotFound) {
				continue
			} else if err != nil {
				return err
			}
			list = append(list, object.Native)
		}
		return nil
	})
	return list, next, err
}

func confirmObject(r Reader, c *Confirm) (*ConfirmObject, error) {
	stored, err := r.ConfirmContent(c.RequestedSeq)
	if err != nil {
		return nil, err
	}
	object, err := stored.object()
	if err != nil {
		return nil, err
	}
	o := &ConfirmObject{Confirm: c}
	if c.Imported || !c.Final() {
		o.Native = mplp.RenderConfirm(object, string(c.Status), nil, nil)
		return o, nil
	}
	if o.Decisions, err = r.Decisions(c.RequestedSeq); err != nil {
		return nil, err
	}
	entries, err := r.Entries(EntryFilter{ConfirmID: c.ID, Types: confirmEntries, Limit: MaxPage})
	o.Native = mplp.RenderConfirm(object, string(c.Status), records(o.Decisions), objectEvents(entries))
	return o, err
}

// PlanObjects is Plans with each as the JSON interface gives it.
func (s *Service) PlanObjects(ctx context.Context, ref Ref, f PlanFilter, page Page) (list [][]byte, next string, err error) {
	plans, next, err := s.Plans(ctx, ref, f, page)
	if err != nil {
		return nil, "", err
	}
	err = s.read(ctx, ref, func(r Reader, _ *Principal) error {
		for _, plan := range plans {
			object, err := planNative(r, plan)
			if err != nil {
				return err
			}
			list = append(list, object)
		}
		return nil
	})
	return list, next, err
}

// PlanObject is a plan as the JSON interface gives it.
type PlanObject struct {
	Plan   *Plan
	Native []byte
}

// PlanObject finds a plan as the JSON interface gives it; see Plan.
func (s *Service) PlanObject(ctx context.Context, ref Ref, id string) (o *PlanObject, err error) {
	err = s.read(ctx, ref, func(r Reader, p *Principal) error {
		plan, err := visiblePlan(r, p, id)
		if err != nil {
			return err
		}
		o = &PlanObject{Plan: plan}
		o.Native, err = planNative(r, plan)
		return err
	})
	return o, err
}

// ContextObjects is Contexts with each as the JSON interface gives it.
func (s *Service) ContextObjects(ctx context.Context, ref Ref, page Page) (list [][]byte, next string, err error) {
	contexts, next, err := s.Contexts(ctx, ref, page)
	for _, c := range contexts {
		list = append(list, c.Native)
	}
	return list, next, err
}

// ConfirmObject is a confirm as the JSON interface gives it, without what only a
// page shows.
type ConfirmObject struct {
	Confirm   *Confirm
	Decisions []*Decision
	Native    []byte
}

// ConfirmObject finds a confirm as the JSON interface gives it. An expiry is
// settled before it answers.
func (s *Service) ConfirmObject(ctx context.Context, ref Ref, id string) (o *ConfirmObject, err error) {
	err = s.settled(ctx, ref, byID(id), func(r Reader, _ *Principal, c *Confirm) error {
		o, err = confirmObject(r, c)
		return found(err, "confirm content: it has been forgotten")
	})
	return o, err
}

// DecideObject is Decide, and gives the confirm as it is then.
func (s *Service) DecideObject(ctx context.Context, ref Ref, id string, in DecisionInput) (*ConfirmObject, error) {
	if err := in.check(); err != nil {
		return nil, err
	}
	made, err := s.decide(ctx, ref, byID(id), in)
	if err != nil {
		return nil, err
	}
	o := &ConfirmObject{Confirm: made.Confirm, Decisions: []*Decision{made.Decision}}
	o.Native = mplp.RenderConfirm(made.stored.objectOf(made.content), string(made.Confirm.Status), records(o.Decisions),
		objectEvents([]*evidence.Entry{made.entry}))
	return o, nil
}
