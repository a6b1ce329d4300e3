package quorum

import (
	"slices"
	"testing"
	"time"
)

// refusals checks that no proof with a vote removed from the log, doubled, or of another
// variant passes.
func refusals(t *testing.T, b *Ballot, tally Tally) (n int) {
	t.Helper()
	for i, number := range tally.Votes {
		forged := *b
		forged.Votes = slices.Clone(b.Votes)
		at := slices.IndexFunc(forged.Votes, func(v Vote) bool { return v.Number == number })
		change := func(name string, edit func(v *Vote), numbers []int64) {
			old := forged.Votes[at]
			edit(&forged.Votes[at])
			if forged.Prove(numbers, tally.Hash) == nil {
				t.Errorf("the proof holds with %s of vote %d: %+v", name, number, b.Votes)
			}
			forged.Votes[at] = old
			n++
		}
		change("a double", func(*Vote) {}, append(slices.Clone(tally.Votes), number))
		change("another number", func(v *Vote) { v.Number = -1 }, tally.Votes)
		change("another variant", func(v *Vote) { v.Hash = "other" }, tally.Votes)
		change("a rejection", func(v *Vote) { v.Approves = false }, tally.Votes)
		change("the requester's name", func(v *Vote) { v.User = b.Requester }, tally.Votes)
		change("a role without a vote", func(v *Vote) { v.Role = "guest" }, tally.Votes)
		change("a time before the request", func(v *Vote) { v.At = b.ReceivedAt.Add(-time.Second) }, tally.Votes)
		if i > 0 {
			first := tally.Votes[0]
			change("the user of another", func(v *Vote) {
				v.User = b.Votes[slices.IndexFunc(b.Votes, func(o Vote) bool { return o.Number == first })].User
			}, tally.Votes)
		}
	}
	return n
}
