package domain

import (
	"context"
	"errors"

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
			list = append(list, object)
		}
		return nil
	})
	return list, next, err
}

func confirmObject(r Reader, c *Confirm) ([]byte, error) {
	stored, err := r.ConfirmContent(c.ID)
	if err != nil {
		return nil, err
	}
	object, err := stored.object()
	if err != nil || c.Imported || !c.Final() {
		return mplp.RenderConfirm(object, string(c.Status), nil, nil), err
	}
	decisions, err := r.Decisions(c.ID)
	if err != nil {
		return nil, err
	}
	events, err := objectEvents(r, EntryFilter{ConfirmID: c.ID, Types: confirmEntries})
	return mplp.RenderConfirm(object, string(c.Status), records(decisions), events), err
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

// ContextObjects is Contexts with each as the JSON interface gives it.
func (s *Service) ContextObjects(ctx context.Context, ref Ref, page Page) (list [][]byte, next string, err error) {
	contexts, next, err := s.Contexts(ctx, ref, page)
	for _, c := range contexts {
		list = append(list, c.Native)
	}
	return list, next, err
}

// ConfirmObject gives one confirm as the JSON interface does, without what only
// a page shows.
func (s *Service) ConfirmObject(ctx context.Context, ref Ref, id string) (c *Confirm, object []byte, err error) {
	o, err := s.Outcome(ctx, ref, id, 0)
	if err != nil {
		return nil, nil, err
	}
	err = s.read(ctx, ref, func(r Reader, _ *Principal) error {
		if c, err = r.Confirm(o.Confirm.ID); err != nil {
			return found(err, "confirm")
		}
		object, err = confirmObject(r, c)
		return found(err, "confirm content: it has been forgotten")
	})
	return c, object, err
}
