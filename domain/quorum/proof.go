package quorum

import (
	"fmt"
	"slices"
)

// Prove checks that the votes with these numbers approved the variant with this
// effective hash as required. It cannot know whether a voter held the role: Lapsed is
// taken from the votes.
func (b *Ballot) Prove(numbers []int64, hash string) error {
	if err := b.Requires.check(); err != nil {
		return err
	}
	standing := b.standing()
	named := *b
	named.Votes = nil
	for i, n := range numbers {
		at := slices.IndexFunc(b.Votes, func(v Vote) bool { return v.Number == n })
		if at < 0 || slices.Contains(numbers[:i], n) {
			return fmt.Errorf("vote %d does not exist or is named twice", n)
		}
		v := b.Votes[at]
		switch _, err := b.check(nil, v); {
		case err != nil:
			return fmt.Errorf("vote %d: %w", n, err)
		case !v.Approves:
			return fmt.Errorf("vote %d is a rejection", n)
		case v.Hash != hash:
			return fmt.Errorf("vote %d approves another variant", n)
		case slices.ContainsFunc(named.Votes, func(o Vote) bool { return o.User == v.User }):
			return fmt.Errorf("vote %d is a second one of the same user", n)
		case !slices.Contains(standing, v):
			return fmt.Errorf("vote %d was replaced by a later one", n)
		}
		named.Votes = append(named.Votes, v)
	}
	for _, p := range named.Count(hash).Quorum {
		if p.Approved < p.Approvals {
			return fmt.Errorf("role %q has %d of %d approvals", p.Role, p.Approved, p.Approvals)
		}
	}
	return nil
}
