package domain

import (
	"errors"

	"countersign/domain/evidence"
)

// loadContent returns the content of a confirm after checking its hash. It returns
// ErrUnproven if the content is not the one requested, or is gone although the log does
// not say that it was pruned; ErrNotFound if it was pruned.
func loadContent(r Reader, c *Confirm) (*ConfirmContent, error) {
	stored, err := r.ConfirmContent(c.RequestedSeq)
	switch {
	case errors.Is(err, ErrNotFound):
		forgotten, err := r.Entries(EntryFilter{ConfirmID: c.ID, Type: entryPruned, Limit: 1})
		if err != nil {
			return nil, err
		}
		if !c.IsFinal() || len(forgotten) == 0 {
			return nil, c.errUnproven()
		}
		return nil, ErrNotFound
	case err != nil:
		return nil, err
	case evidence.ContentHash(stored.Salt, stored.Content) != c.ContentHash:
		return nil, c.errUnproven()
	}
	return stored, nil
}

// loadDecisions returns the decisions on a confirm, ErrUnproven if those that ended it
// are missing.
func loadDecisions(r Reader, c *Confirm) ([]*Decision, error) {
	decisions, err := r.Decisions(c.RequestedSeq)
	if err == nil && c.isDecidedHere() && (len(decisions) == 0 || decisions[len(decisions)-1].Seq != c.DecidedSeq) {
		err = c.errUnproven()
	}
	return decisions, err
}

// missingAsUnproven turns ErrNotFound into ErrUnproven, for plans and contexts that
// existed when the confirm was requested: they are never removed.
func (c *Confirm) missingAsUnproven(err error) error {
	if errors.Is(err, ErrNotFound) {
		return c.errUnproven()
	}
	return err
}

// errUnproven refuses a confirm that is not stored as the log has it.
func (c *Confirm) errUnproven() error {
	return errUnproven("What is stored of request " + c.ID + " differs from the log, so nothing is done with it. Ask an administrator to verify the database.")
}

// checkAllProven returns ErrUnproven if one of the rows is not as the log has it.
func checkAllProven(rows []*ConfirmRow) error {
	for _, row := range rows {
		if row.Unproven {
			return row.errUnproven()
		}
	}
	return nil
}
