package domain

import (
	"errors"
	"slices"
	"time"
)

// Voting is what the inbox says of the votes on a pending confirm.
type Voting struct {
	Approved, Needed int
	roles            []*ConfirmRole
	voters           []string // who have voted
}

// addVotings completes rows of the inbox.
func addVotings(r Reader, rows []*ConfirmRow) error {
	for _, row := range rows {
		if row.Quorum == 0 || row.IsFinal() || row.Unproven {
			continue
		}
		err := row.addVoting(r)
		if errors.Is(err, ErrUnproven) || errors.Is(err, ErrNotFound) {
			row.MarkUnproven()
		} else if err != nil {
			return err
		}
	}
	return nil
}

func (row *ConfirmRow) addVoting(r Reader) error {
	progress, err := loadProgress(r, &row.Confirm)
	if err != nil {
		return err
	}
	v := new(Voting)
	v.Approved, v.Needed = progress.Counted()
	if v.roles, err = r.ConfirmRoles(row.RequestedSeq); err != nil {
		return err
	}
	decisions, err := r.Decisions(row.RequestedSeq)
	for _, d := range decisions {
		v.voters = append(v.voters, d.DecidedBy.String())
	}
	row.Voting = v
	return err
}

// waitsFor reports whether the principal may vote and has not.
func (v *Voting) waitsFor(p *Principal, now time.Time) bool {
	return !v.HasVoted(p.Ref) && slices.ContainsFunc(v.roles, func(role *ConfirmRole) bool { return p.Holds(role.RoleID) && !now.Before(role.From) })
}

// HasVoted reports whether a user has voted.
func (v *Voting) HasVoted(by Ref) bool { return slices.Contains(v.voters, by.String()) }
