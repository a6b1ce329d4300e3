package domain

import (
	"context"
	"errors"
	"slices"
	"time"

	"countersign/domain/evidence"
)

// escalateDue tells in the log which roles may vote in place of others from now on, and
// returns when the next one may. They may without it: if it is late, only lists and those
// who are told are late.
func (s *Service) escalateDue(ctx context.Context) (next time.Time, err error) {
	var ids []string
	err = s.store.View(ctx, func(r Reader) (err error) {
		ids, next, err = r.DueEscalations(s.clock(), expireBatch)
		return err
	})
	if err != nil {
		return next, err
	}
	for _, id := range slices.Compact(ids) {
		err = errors.Join(err, s.store.Tx(ctx, func(tx Tx) error { return s.escalate(tx, id) }))
	}
	if len(ids) == expireBatch {
		next = s.clock()
	}
	return next, err
}

func (s *Service) escalate(tx Tx, id string) error {
	c, err := tx.Confirm(id)
	if err != nil || c.IsFinal() {
		return err
	}
	roles, err := tx.ConfirmRoles(c.RequestedSeq)
	if err != nil {
		return err
	}
	var escalated []string
	for _, role := range roles {
		if role.EscalatesAt.IsZero() || role.EscalatesAt.After(s.clock()) {
			continue
		}
		role.EscalatesAt = time.Time{}
		if err := tx.UpdateConfirmRole(role); err != nil {
			return err
		}
		escalated = append(escalated, role.RoleID)
	}
	if len(escalated) == 0 {
		return nil
	}
	return s.log(tx, &system, evidence.Entry{Type: entryEscalated, ConfirmID: c.ID, PlanID: c.PlanID, ContentHash: c.ContentHash,
		TraceID: c.TraceID, SpanID: c.SpanID, Data: data("roles", capList(escalated), "target_type", c.TargetType, "target_id", c.TargetID)})
}
