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

// checkRequires compares what a content requires with the entry that requested it, and
// with the documents of the policies. It returns those that the content names.
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
	for _, named := range requires.Policies {
		if !slices.ContainsFunc(b.Policies, func(p BundlePolicy) bool {
			return p.ID == named.ID && p.Version == named.Version && quorum.PolicyHash([]byte(p.Document)) == named.Hash
		}) {
			r.addFinding("request %s: the document of the policy %s, version %d, is missing or is another", c.ConfirmID, named.ID, named.Version)
		}
	}
	return requires.Policies
}

// checkPolicies finds documents that no content names: nothing else proves them.
func (b *Bundle) checkPolicies(r *Report, named []quorum.PolicyRef) {
	for i, p := range b.Policies {
		isNamed := slices.ContainsFunc(named, func(n quorum.PolicyRef) bool { return n.ID == p.ID && n.Version == p.Version })
		if !isNamed || slices.ContainsFunc(b.Policies[:i], func(o BundlePolicy) bool { return o.ID == p.ID && o.Version == p.Version }) {
			r.addFinding("policy %s, version %d: no request in the bundle names it, or it stands there twice", p.ID, p.Version)
		}
	}
}
