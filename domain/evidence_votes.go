package domain

import (
	"countersign/domain/evidence"
)

// proveVotes returns ErrUnproven unless the log proves that the votes on a decided confirm
// led to its end as its content requires.
func proveVotes(r Reader, c *Confirm, content *evidence.Content, final *evidence.Entry) error {
	requires, err := content.Quorum()
	if err != nil || (requires == nil) != (c.Quorum == 0) {
		return ErrUnproven
	}
	if requires == nil {
		return nil
	}
	found, err := r.EntriesAt([]int64{c.RequestedSeq})
	if err != nil {
		return err
	}
	requested := found[c.RequestedSeq]
	if requested == nil {
		return ErrUnproven
	}
	voting, err := evidence.NewVoting(requested)
	if err != nil || !voting.Matches(requires) {
		return ErrUnproven
	}
	votes, err := voteEntries(r, c)
	if err != nil {
		return err
	}
	decisions, err := loadDecisions(r, c)
	if err != nil {
		return err
	}
	if !c.areVotes(votes, decisions) {
		return ErrUnproven
	}
	for _, e := range votes {
		voting.Add(e)
	}
	if voting.Prove(final, nil) != nil {
		return ErrUnproven
	}
	return nil
}

// proveStoredVotes is proveVotes for callers that have neither the content nor the entry.
func proveStoredVotes(r Reader, c *Confirm) error {
	stored, err := loadContent(r, c)
	if err != nil {
		return err
	}
	content, err := evidence.ParseContent(stored.Content)
	if err != nil {
		return err
	}
	found, err := r.EntriesAt([]int64{c.DecidedSeq})
	if err != nil {
		return err
	}
	if found[c.DecidedSeq] == nil {
		return ErrUnproven
	}
	return proveVotes(r, c, content, found[c.DecidedSeq])
}
