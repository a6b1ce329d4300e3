package evidence

import (
	"slices"

	"countersign/domain/quorum"
)

// checkVotes proves that the votes in the bundle led to the decisions. It returns the
// voting on each request that needs one.
func (b *Bundle) checkVotes(r *Report, entries []*Entry) map[string]*Voting {
	votings := map[string]*Voting{}
	for _, e := range entries {
		v := votings[e.ConfirmID]
		switch e.Type {
		case EntryRequested:
			made, err := NewVoting(e)
			if err != nil {
				r.addFinding("request %s: what it requires cannot be read: %v", e.ConfirmID, err)
			} else if made != nil {
				votings[e.ConfirmID] = made
			}
		case EntryVoted:
			if v == nil {
				r.addFinding("request %s: there is a vote, and it needs none", e.ConfirmID)
				continue
			}
			v.Add(e)
		case "confirm.approved", "confirm.rejected", "confirm.cancelled":
			if v == nil && len(e.Votes()) > 0 {
				r.addFinding("request %s: its decision names votes, and it needs none", e.ConfirmID)
			} else if v != nil {
				if err := v.Prove(e, nil); err != nil {
					r.addFinding("request %s: the votes do not prove its decision: %v", e.ConfirmID, err)
				}
			}
		}
	}
	return votings
}

// checkRequires compares what a content requires with the entry that requested it. It
// returns the policies that the content names.
func (b *Bundle) checkRequires(r *Report, votings map[string]*Voting, c BundleContent) []quorum.PolicyRef {
	content, err := ParseContent([]byte(c.Content))
	if err != nil {
		return nil // checkContent has reported it
	}
	requires, err := content.Quorum()
	if err != nil || !votings[c.ConfirmID].Matches(requires) {
		r.addFinding("request %s: its content requires something else than its entry", c.ConfirmID)
		return nil
	}
	if requires == nil {
		return nil
	}
	return requires.Policies
}

// checkPolicies checks that the bundle has the documents of the policies that contents
// name, and no others.
func (b *Bundle) checkPolicies(r *Report, named []quorum.PolicyRef) {
	var there []quorum.PolicyRef
	for _, p := range b.Policies {
		ref := quorum.PolicyRef{ID: p.ID, Version: p.Version, Hash: quorum.PolicyHash([]byte(p.Document))}
		if !slices.Contains(named, ref) || slices.Contains(there, ref) {
			r.addFinding("policy %s, version %d: no request names this document, or it stands there twice", p.ID, p.Version)
		}
		there = append(there, ref)
	}
	for _, ref := range named {
		if !slices.Contains(there, ref) {
			r.addFinding("policy %s, version %d: its document is missing or is another", ref.ID, ref.Version)
		}
	}
}

// checkVoteEdits checks that the edits of votes are of votes that there are, each once.
func (c *BundleContent) checkVoteEdits(r *Report, entries []*Entry) {
	for i, v := range c.Votes {
		isOf := func(e *Entry) bool { return e.Seq == v.Seq && e.Type == EntryVoted && e.ConfirmID == c.ConfirmID }
		if len(v.Edits) == 0 || i > 0 && v.Seq <= c.Votes[i-1].Seq || !slices.ContainsFunc(entries, isOf) {
			r.addFinding("request %s: it has edits of a vote that is not there, or stands there twice", c.ConfirmID)
		}
	}
}
