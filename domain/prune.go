package domain

import (
	"context"
	"time"

	"countersign/domain/evidence"
)

// entryPruned is the type of entries that say that a content was forgotten.
const entryPruned = "content.pruned"

// pruneBatch bounds how many contents one transaction forgets, so that other
// writers are not kept waiting.
const pruneBatch = 50

// Prune forgets the content of confirms that were decided longer than age ago,
// and what their decisions repeat of it; what may still run is kept. The hashes
// and proofs stay. It gives how many were forgotten. Only the command line does
// it.
func (s *Service) Prune(ctx context.Context, age time.Duration) (n int, err error) {
	before := s.clock().Add(-age)
	for page := (Page{Limit: pruneBatch}); ; {
		var old []string
		err := s.store.Tx(ctx, func(tx Tx) (err error) {
			if old, page.Cursor, err = tx.Forgettable(before, page); err != nil {
				return err
			}
			for _, id := range old {
				if err := s.forget(tx, id); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return n, err
		}
		if n += len(old); page.Cursor == "" {
			return n, nil
		}
	}
}

func (s *Service) forget(tx Tx, id string) error {
	c, err := tx.Confirm(id)
	if err != nil {
		return err
	}
	if err := tx.ForgetContent(c); err != nil {
		return err
	}
	return s.log(tx, &system, evidence.Entry{Type: entryPruned, ConfirmID: id, PlanID: c.PlanID,
		ContentHash: c.ContentHash, EffectiveHash: c.EffectiveHash, TraceID: c.TraceID, SpanID: c.SpanID})
}
