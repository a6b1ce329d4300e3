package domain

import (
	"countersign/domain/evidence"
	"countersign/domain/quorum"
	"errors"
	"slices"
)

// cast counts a decision as a vote. It reports whether the decision changes anything, and
// sets Votes if it ends the confirm.
func (v *voting) cast(d *Decision) (changes, ends bool, err error) {
	vote := voteOf(d)
	if changes, err = v.Check(vote); err != nil {
		return false, false, refuseVote(err)
	}
	if changes {
		v.Votes = append(v.Votes, vote)
	}
	if d.Status == Rejected {
		d.Votes, ends = v.Rejections()
		return changes, ends, nil
	}
	tally := v.Count(d.EffectiveHash)
	d.Votes = tally.Votes
	return changes, tally.IsMet, nil
}

func refuseVote(err error) error {
	switch {
	case errors.Is(err, quorum.ErrOwnRequest):
		return refuse(CodeSelfApproval, "You cannot decide your own or your keys' requests.")
	case errors.Is(err, quorum.ErrRejected):
		return refuse(CodeAlreadyVoted, "You have rejected this. A rejection cannot become an approval.")
	}
	return refuse(CodeRoleNotHeld, "Your role has no vote on this request now.")
}

// prepareVote checks that the principal may vote so, and sets the role of the decision.
func (s *Service) prepareVote(r Reader, p *Principal, c *Confirm, v *voting, d *Decision, asked string) error {
	if same := v.roleOfSame(d); asked == "" && p.Holds(same) {
		asked = same // the same vote again is no vote in another role
	}
	role, err := s.authorizeVote(r, p, c, v, neededCapabilities(d), asked)
	if err != nil {
		return err
	}
	if d.UserEditContent != "" && d.Status == Approved && v.Requires.Approvals() > 1 {
		return Invalid("user_edit_content", "quorum", "Several people must approve this, and the others would not approve these words. Edit the arguments instead, or reject.")
	}
	d.RoleID, d.DecidedByRole = role.ID, role.Name
	return nil
}

// roleOfSame returns the role in which the voter has already voted so, "" if they have not.
func (v *voting) roleOfSame(d *Decision) string {
	standing := v.Standing()
	for _, before := range v.decisions {
		if slices.Contains(standing, before.Seq) && before.DecidedBy == d.DecidedBy && before.Status == d.Status && before.EffectiveHash == d.EffectiveHash {
			return before.RoleID
		}
	}
	return ""
}

// castVote counts a decision. Unless it ends the confirm, it is written here, with the
// entry that is returned; nil if the same vote was there already.
func (s *Service) castVote(tx Tx, p *Principal, c *Confirm, v *voting, d *Decision) (entry *evidence.Entry, isFinal bool, err error) {
	if d.Seq, err = tx.NextSeq(); err != nil {
		return nil, false, err
	}
	changes, isFinal, err := v.cast(d)
	if err != nil {
		return nil, false, err
	}
	if isFinal || !changes {
		s.countVote()
		return nil, isFinal, nil
	}
	if len(v.decisions) >= maxVotes {
		return nil, false, refuse(CodeInvalidTransition, "There are %d votes on this request already. It takes a vote that decides it.", maxVotes)
	}
	s.countVote()
	d.Number, d.Votes = len(v.decisions), nil
	if d.ID == "" {
		if d.ID, err = s.newID(); err != nil {
			return nil, false, err
		}
	}
	if err := tx.InsertDecision(d); err != nil {
		return nil, false, err
	}
	facts := []any{"decision_id", d.ID, "target_type", c.TargetType, "target_id", c.TargetID, "vote", d.Status, "role_id", d.RoleID}
	if c.StepID != "" {
		facts = append(facts, "step_id", c.StepID)
	}
	entry = newDecisionEntry(entryVoted, d.DecidedByRole, c, d)
	entry.EffectiveHash, entry.Data = d.EffectiveHash, data(append(facts, findingFacts(d)...)...)
	return entry, false, s.append(tx, p, entry)
}

// endVoting prepares the last decision on a confirm with a quorum.
func (s *Service) endVoting(tx Tx, c *Confirm, d *Decision) error {
	before, err := tx.Decisions(c.RequestedSeq)
	if err != nil {
		return err
	}
	d.Number = len(before)
	return tx.DeleteConfirmRoles(c.RequestedSeq)
}

// countedDecisions returns the decisions that led to the end of a confirm: those that
// the last one's entry names, and the last. Without a quorum that is all of them.
func countedDecisions(r Reader, c *Confirm, all []*Decision) ([]*Decision, error) {
	if c.Quorum == 0 || len(all) < 2 {
		return all, nil
	}
	last := all[len(all)-1]
	votes, err := loadVotes(r, last.Seq)
	if err != nil {
		return nil, err
	}
	var counted []*Decision
	for _, d := range all[:len(all)-1] {
		if slices.Contains(votes, d.Seq) {
			counted = append(counted, d)
		}
	}
	return append(counted, last), nil
}

// loadVotes returns the numbers of the votes that a final entry names.
func loadVotes(r Reader, seq int64) ([]int64, error) {
	entries, err := r.EntriesAt([]int64{seq})
	if err != nil {
		return nil, err
	}
	if entries[seq] == nil {
		return nil, ErrUnproven
	}
	return entries[seq].Votes(), nil
}
