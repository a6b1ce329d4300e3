package quorum

import "slices"

// Tally is the count for one variant of a request.
type Tally struct {
	Hash   string
	IsMet  bool
	Quorum []Progress // in the order of the requirements
	Votes  []int64    // numbers of the approvals that count, in order
}

// Progress is how far a threshold is met.
type Progress struct {
	Role                string
	Approvals, Approved int
}

// Count counts the approvals of the variant that has this effective hash. A vote fills
// one threshold; one that may fill several fills what is needed.
func (b *Ballot) Count(hash string) Tally {
	t := Tally{Hash: hash}
	var approvals []Vote
	for _, v := range b.standing() {
		if v.Approves && !v.Lapsed && v.Hash == hash {
			approvals = append(approvals, v)
			t.Votes = append(t.Votes, v.Number)
		}
	}
	filled := b.assign(approvals)
	t.IsMet = true
	for i, s := range b.Requires.Quorum {
		t.Quorum = append(t.Quorum, Progress{s.Role, s.Approvals, len(filled[i])})
		t.IsMet = t.IsMet && len(filled[i]) == s.Approvals
	}
	return t
}

// assign gives each vote a threshold, as many as possible. A vote takes the place of
// another if that one finds a place elsewhere.
func (b *Ballot) assign(votes []Vote) [][]Vote {
	filled := make([][]Vote, len(b.Requires.Quorum))
	var place func(v Vote, tried []bool) bool
	place = func(v Vote, tried []bool) bool {
		for _, seat := range b.seats(v.Role, v.At) {
			if tried[seat] {
				continue
			}
			tried[seat] = true
			if len(filled[seat]) < b.Requires.Quorum[seat].Approvals {
				filled[seat] = append(filled[seat], v)
				return true
			}
			for i, other := range filled[seat] {
				if place(other, tried) {
					filled[seat][i] = v
					return true
				}
			}
		}
		return false
	}
	for _, v := range votes {
		place(v, make([]bool, len(filled)))
	}
	return filled
}

// Variants counts every variant that has an approval, in the order of the first.
func (b *Ballot) Variants() (list []Tally) {
	for _, v := range b.standing() {
		if v.Approves && !v.Lapsed && !slices.ContainsFunc(list, func(t Tally) bool { return t.Hash == v.Hash }) {
			list = append(list, b.Count(v.Hash))
		}
	}
	return list
}

// Rejections returns the numbers of the rejections that count, and whether they end the
// request.
func (b *Ballot) Rejections() (numbers []int64, isVeto bool) {
	for _, v := range b.standing() {
		if !v.Approves && !v.Lapsed {
			numbers = append(numbers, v.Number)
		}
	}
	return numbers, len(numbers) >= b.Requires.Rejections
}
