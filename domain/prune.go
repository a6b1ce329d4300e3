package domain

import (
	"context"
	"errors"
	"slices"
	"time"

	"countersign/domain/evidence"
)

// entryPruned is the type of entries about forgotten contents.
const entryPruned = "content.pruned"

// pruneBatch is how many contents one transaction forgets, so that other writers get a
// turn.
const pruneBatch = 50

// Prune forgets the content of confirms that were decided longer than age ago, unless
// their plan may still run, and returns how many. With a content go the texts of its
// decisions and a role that is only a label. Hashes and proofs stay. A confirm that the
// log does not prove to be decided is kept and gives an error. Only the command line
// calls it.
func (s *Service) Prune(ctx context.Context, age time.Duration) (n int, err error) {
	before, unproven := s.clock().Add(-age), 0
	for page := (Page{Limit: pruneBatch}); ; {
		forgotten, doubtful := 0, 0
		err := s.store.Tx(ctx, func(tx Tx) error {
			old, next, err := tx.PrunableConfirms(before, page)
			if err != nil {
				return err
			}
			page.Cursor = next
			for _, id := range old {
				done, err := s.pruneConfirm(tx, id, before, age)
				switch {
				case errors.Is(err, ErrUnproven):
					doubtful++
				case err != nil:
					return err
				case done:
					forgotten++
				}
			}
			if forgotten > 0 { // what is left is folded again
				return tx.DeleteFacts()
			}
			return nil
		})
		if err != nil {
			return n, err
		}
		n, unproven = n+forgotten, unproven+doubtful
		if page.Cursor != "" {
			continue
		}
		if unproven > 0 {
			err = refuse(CodeEvidenceUnavailable, "%d requests were kept, because the log does not prove that they were decided. Run countersign evidence verify to see what was changed.", unproven)
		}
		return n, err
	}
}

// pruneConfirm forgets the content of a confirm that was decided before a time and
// whose plan cannot run any more. Its entry has what a verifier needs to check that.
func (s *Service) pruneConfirm(tx Tx, id string, before time.Time, age time.Duration) (done bool, err error) {
	c, err := tx.Confirm(id)
	if err != nil {
		return false, err
	}
	decided, err := decisionEntry(tx, c)
	if err != nil || !decided.At.Before(before) {
		return false, err
	}
	if c.PlanID != "" {
		plan, err := tx.Plan(c.PlanID)
		if err != nil && !errors.Is(err, ErrNotFound) {
			return false, err
		}
		if err == nil && slices.Contains([]PlanStatus{PlanProposed, PlanApproved, PlanInProgress}, plan.Status) {
			return false, nil
		}
	}
	if err := tx.ForgetContent(c); err != nil {
		return false, err
	}
	return true, s.log(tx, &system, evidence.Entry{Type: entryPruned, ConfirmID: id, PlanID: c.PlanID,
		ContentHash: c.ContentHash, EffectiveHash: c.EffectiveHash, TraceID: c.TraceID, SpanID: c.SpanID,
		Data: data("decided_seq", decided.Seq, "older_than_seconds", int64(age/time.Second))})
}

// decisionEntry returns the proven entry that ended a confirm, or imported it. It
// returns ErrUnproven if the log has none.
func decisionEntry(r Reader, c *Confirm) (*evidence.Entry, error) {
	seq, types := c.DecidedSeq, []string{"confirm.approved", "confirm.rejected", "confirm.cancelled"}
	if c.Imported {
		seq, types = c.RequestedSeq, []string{"confirm.imported"}
	}
	e, _, err := readProven(r, seq)
	if err != nil {
		return nil, err
	}
	if !slices.Contains(types, e.Type) || e.ConfirmID != c.ID || e.PlanID != c.PlanID || e.ContentHash != c.ContentHash {
		return nil, ErrUnproven
	}
	return e, nil
}
