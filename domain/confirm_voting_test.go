package domain_test

import (
	"testing"

	"countersign/domain"
)

// What the page says of an approval before it is given is what comes of it.
func TestVoting_ApprovalDoesWhatItSays(t *testing.T) {
	t.Parallel()
	w := newVotingWorld(t, "")
	for name, votes := range map[string][]struct {
		by   domain.Ref
		role string
	}{
		"each their own":         {{w.fay, "finance"}, {w.sue, "security"}},
		"a seat that is taken":   {{w.fay, "finance"}, {w.finn, "finance"}, {w.ed, "finance"}, {w.ed, "security"}},
		"the same again":         {{w.sue, "security"}, {w.sue, "security"}, {w.fay, "finance"}},
		"from one role to other": {{w.ed, "finance"}, {w.ed, "security"}, {w.ed, "finance"}, {w.sue, "security"}},
	} {
		t.Run(name, func(t *testing.T) {
			c := w.post(w.agent, transfer)
			for i, vote := range votes {
				detail, err := w.Confirm(w.ctx, vote.by, c.ID)
				if err != nil {
					t.Fatal(err)
				}
				role := ""
				for _, r := range detail.Rights.Roles {
					if r.Name == vote.role {
						role = r.ID
					}
				}
				had, _ := domain.Counted(detail.Voting.Thresholds)
				said := detail.Voting.Approval(c.ContentHash, role, w.now())
				want, _ := domain.Counted(said.Thresholds)
				before := len(detail.Voting.Votes)
				o := w.mustVote(vote.by, c, domain.Approved, vote.role)
				if o.IsFinal() != said.IsLast || said.IsLast != (i == len(votes)-1) {
					t.Fatalf("vote %d ends it: %t, and the page says %t", i, o.IsFinal(), said.IsLast)
				}
				if o.IsFinal() {
					return
				}
				if got, _ := o.Requires.Counted(); got != want || said.Adds != (got > had) || said.IsSame != (w.votes(vote.by, c) == before) {
					t.Errorf("vote %d of %s: %d approvals, and the page says %+v", i, vote.role, got, said)
				}
			}
		})
	}
}

// votes counts the votes on a confirm, with those that were replaced.
func (w *votingWorld) votes(by domain.Ref, c *domain.Confirm) int {
	w.t.Helper()
	detail, err := w.Confirm(w.ctx, by, c.ID)
	if err != nil {
		w.t.Fatal(err)
	}
	return len(detail.Voting.Votes)
}
