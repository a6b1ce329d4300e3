package domain

import (
	"errors"

	"countersign/domain/evidence"
)

// contentOf returns the content of a confirm, whose hash is computed from what is
// stored: ErrUnproven if it is not the one that was asked for, or if it is gone and
// the log does not say that it was forgotten. What was is ErrNotFound.
func contentOf(r Reader, c *Confirm) (*ConfirmContent, error) {
	stored, err := r.ConfirmContent(c.RequestedSeq)
	switch {
	case errors.Is(err, ErrNotFound):
		forgotten, err := r.Entries(EntryFilter{ConfirmID: c.ID, Type: entryPruned, Limit: 1})
		if err != nil {
			return nil, err
		}
		if !c.Final() || len(forgotten) == 0 {
			return nil, c.unproven()
		}
		return nil, ErrNotFound
	case err != nil:
		return nil, err
	case evidence.ContentHash(stored.Salt, stored.Content) != c.ContentHash:
		return nil, c.unproven()
	}
	return stored, nil
}

// decisionsOn returns the decisions on a confirm: ErrUnproven if those that ended it
// are gone.
func decisionsOn(r Reader, c *Confirm) ([]*Decision, error) {
	decisions, err := r.Decisions(c.RequestedSeq)
	if err == nil && len(decisions) == 0 && c.decided() {
		err = c.unproven()
	}
	return decisions, err
}

// lost turns a Store's ErrNotFound into ErrUnproven, for what the confirm was about
// when it was requested: plans and contexts are never removed.
func (c *Confirm) lost(err error) error {
	if errors.Is(err, ErrNotFound) {
		return c.unproven()
	}
	return err
}

// unproven refuses a confirm that is not stored as the log has it.
func (c *Confirm) unproven() error {
	return unproven("What is stored of the request " + c.ID + " is not what the log says. Nothing of it is told or done: an administrator should verify the database.")
}

// allProven returns ErrUnproven if one of the rows is not as the log has it.
func allProven(rows []*ConfirmRow) error {
	for _, row := range rows {
		if row.Unproven {
			return row.unproven()
		}
	}
	return nil
}
