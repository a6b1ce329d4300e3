package domain

import (
	"context"
	"errors"
)

// ConfirmRows finds confirms as lists show them, by their ids, but for their
// decisions. Those that are unknown, or not for the reader to see, are left out.
func (s *Service) ConfirmRows(ctx context.Context, ref Ref, ids []string) (rows map[string]*ConfirmRow, err error) {
	rows = make(map[string]*ConfirmRow, len(ids))
	err = s.read(ctx, ref, func(r Reader, p *Principal) error {
		for _, id := range ids {
			if rows[id] != nil {
				continue
			}
			c, err := r.Confirm(id)
			if err == nil && p.sees(c) {
				rows[id], err = confirmRow(r, c)
			}
			if err != nil && !errors.Is(err, ErrNotFound) {
				return err
			}
		}
		return nil
	})
	return rows, err
}

func confirmRow(r Reader, c *Confirm) (*ConfirmRow, error) {
	row := &ConfirmRow{Confirm: *c}
	content, err := r.ConfirmContent(c.RequestedSeq)
	if err == nil {
		row.Reason, row.Tools = content.Reason, content.Tools
	} else if !errors.Is(err, ErrNotFound) { // it may have been forgotten
		return nil, err
	}
	switch {
	case c.TargetType == TargetPlan && c.PlanID != "":
		plan, err := r.Plan(c.PlanID)
		if err == nil {
			row.Title = plan.Title
		} else if !errors.Is(err, ErrNotFound) {
			return nil, err
		}
	case c.TargetType == TargetContext && c.TargetHash != "":
		target, err := r.Context(c.TargetID)
		if err == nil {
			row.Title = target.Title
		} else if !errors.Is(err, ErrNotFound) {
			return nil, err
		}
	}
	return row, nil
}
