package quorum

import (
	"fmt"
	"slices"
)

// Prove checks that the votes with these numbers approved the variant with this
// effective hash as required. It cannot know whether a voter held the role: Lapsed is
// taken from the votes.
func (b *Ballot) Prove(numbers []int64, hash string) error {
	named := *b
	var err error
	if named.Votes, err = b.named(numbers); err != nil {
		return err
	}
	for _, v := range named.Votes {
		if !v.Approves || v.Hash != hash {
			return fmt.Errorf("vote %d is a rejection or approves another variant", v.Number)
		}
	}
	for _, p := range named.Count(hash).Quorum {
		if p.Approved < p.Approvals {
			return fmt.Errorf("role %q has %d of %d approvals", p.Role, p.Approved, p.Approvals)
		}
	}
	return nil
}

// ProveRejection checks that the votes with these numbers rejected the request, and are
// as many as that takes.
func (b *Ballot) ProveRejection(numbers []int64) error {
	votes, err := b.named(numbers)
	if err != nil {
		return err
	}
	if i := slices.IndexFunc(votes, func(v Vote) bool { return v.Approves }); i >= 0 {
		return fmt.Errorf("vote %d is an approval", votes[i].Number)
	}
	if len(votes) < b.Requires.Rejections {
		return fmt.Errorf("there are %d of %d rejections", len(votes), b.Requires.Rejections)
	}
	return nil
}

// named returns the votes with these numbers. It refuses what is not the standing vote of
// a user who may vote.
func (b *Ballot) named(numbers []int64) (list []Vote, err error) {
	if err := b.Requires.checkQuorum(); err != nil {
		return nil, err
	}
	standing := b.standing()
	for i, n := range numbers {
		at := slices.IndexFunc(b.Votes, func(v Vote) bool { return v.Number == n })
		if at < 0 || slices.Contains(numbers[:i], n) {
			return nil, fmt.Errorf("vote %d does not exist or is named twice", n)
		}
		v := b.Votes[at]
		switch _, err := b.check(nil, v); {
		case err != nil:
			return nil, fmt.Errorf("vote %d: %w", n, err)
		case slices.ContainsFunc(list, func(o Vote) bool { return o.User == v.User }):
			return nil, fmt.Errorf("vote %d is a second one of the same user", n)
		case !slices.Contains(standing, v):
			return nil, fmt.Errorf("vote %d was replaced by a later one", n)
		}
		list = append(list, v)
	}
	return list, nil
}
