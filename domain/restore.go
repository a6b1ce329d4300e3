package domain

import (
	"context"
	"encoding/json"
	"time"

	"countersign/domain/evidence"
)

// AcceptRestore begins a new epoch of the log if the database was restored from a
// backup, and returns what is known of the old one; otherwise nil. Pending confirms are
// cancelled and sessions and links end: they may have been decided or ended in the time
// that is lost. Nothing is delivered of what was written before.
func (s *Service) AcceptRestore(ctx context.Context) (lost *evidence.KeyChange, err error) {
	err = s.store.Tx(ctx, func(tx Tx) error {
		old, lostKey := secretCipher(tx)
		if lost, err = tx.BeginEpoch(); err != nil || lost == nil {
			return err
		}
		facts, err := json.Marshal(lost)
		if err == nil && lostKey == nil {
			err = resealSecrets(tx, old)
		}
		if err != nil {
			return err
		}
		if err := s.log(tx, &system, evidence.Entry{Type: evidence.EntryRestored, Data: facts}); err != nil {
			return err
		}
		if err := s.cancelAll(tx, "The database was restored from a backup: a decision may have been lost. Ask again."); err != nil {
			return err
		}
		if err := tx.DeleteDeliveries(); err != nil {
			return err
		}
		return s.deleteAllSessions(tx)
	})
	return lost, err
}

// deleteAllSessions deletes all sessions and links.
func (s *Service) deleteAllSessions(tx Tx) error {
	later := s.clock().Add(365 * 24 * time.Hour)
	return tx.PruneVolatile(later, later, later)
}

// restoredSince reports whether the database was restored after this entry.
func restoredSince(r Reader, seq int64) (bool, error) {
	entries, err := r.Entries(EntryFilter{Type: evidence.EntryRestored, After: &seq, Limit: 1})
	return len(entries) > 0, err
}

// cancelAll cancels, as system, every pending confirm.
func (s *Service) cancelAll(tx Tx, reason string) error {
	page := Page{Limit: MaxPage}
	for {
		rows, next, err := tx.Confirms(ConfirmFilter{Status: Pending, Visible: Visibility{All: true}}, page)
		if err == nil {
			err = checkAllProven(rows)
		}
		if err != nil {
			return err
		}
		for _, row := range rows {
			if err := s.cancel(tx, &system, &row.Confirm, reason); err != nil {
				return err
			}
		}
		if page.Cursor = next; next == "" {
			return nil
		}
	}
}
