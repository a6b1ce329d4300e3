package quorum

import (
	"fmt"
	"math/rand/v2"
	"os"
	"testing"
	"time"
)

// oracle counts again, as people would: it walks through the votes once, and then tries
// every way to give approvals to thresholds.
func oracle(b *Ballot, hash string) (isMet bool, rejections int) {
	last := map[string]Vote{}
	for _, v := range b.Votes {
		old, voted := last[v.User]
		if v.User != b.Requester && len(open(b, v)) > 0 && !(voted && !old.Approves) {
			last[v.User] = v
		}
	}
	var approvals []Vote
	for _, v := range last {
		if !v.Lapsed && !v.Approves {
			rejections++
		} else if !v.Lapsed && v.Hash == hash {
			approvals = append(approvals, v)
		}
	}
	missing := map[string]int{}
	for _, s := range b.Requires.Quorum {
		missing[s.Role] = s.Approvals
	}
	return fill(b, approvals, missing), rejections
}

func open(b *Ballot, v Vote) (roles []string) {
	for _, s := range b.Requires.Quorum {
		can := s.Role == v.Role
		for _, a := range s.Also {
			can = can || a.Role == v.Role && v.At.Sub(b.ReceivedAt).Seconds() >= float64(a.After)
		}
		if can && !v.At.Before(b.ReceivedAt) {
			roles = append(roles, s.Role)
		}
	}
	return roles
}

func fill(b *Ballot, votes []Vote, missing map[string]int) bool {
	if len(votes) == 0 {
		for _, n := range missing {
			if n > 0 {
				return false
			}
		}
		return true
	}
	for _, role := range open(b, votes[0]) {
		missing[role]--
		done := fill(b, votes[1:], missing)
		if missing[role]++; done {
			return true
		}
	}
	return false
}

// Random votes, edits, vetoes, escalations and lost rights are counted as the oracle
// does. COUNTERSIGN_SOAK=1 plays 100,000 sequences.
func TestBallot_AsTheOracle(t *testing.T) {
	t.Parallel()
	sequences := 3_000
	if os.Getenv("COUNTERSIGN_SOAK") == "1" {
		sequences = 100_000
	}
	r := rand.New(rand.NewPCG(3, 4))
	met, vetoed, proved := 0, 0, 0
	for i := range sequences {
		b, lost := randomBallot(r), fmt.Sprintf("u%d", r.IntN(8)) // one user loses a right later
		for step := range 1 + r.IntN(10) {
			v := randomVote(r, b, int64(step))
			changes, err := b.Check(v)
			before := len(b.standing())
			b.Votes = append(b.Votes, v)
			for j := range b.Votes {
				b.Votes[j].Lapsed = step > 5 && b.Votes[j].User == lost
			}
			if (err != nil || !changes) && before != len(b.standing()) {
				t.Fatalf("sequence %d: a refused vote changes the count: %+v", i, b.Votes)
			}
			for _, hash := range []string{"asked", "edited", "again"} {
				want, rejections := oracle(b, hash)
				tally := b.Count(hash)
				numbers, isVeto := b.Rejections()
				if tally.IsMet != want || len(numbers) != rejections || isVeto != (rejections >= b.Requires.Rejections) {
					t.Fatalf("sequence %d, %s: counted %+v and %v, the oracle says %v and %d\n%+v\n%+v", i, hash, tally, numbers, want, rejections, b.Requires.Quorum, b.Votes)
				}
				if err := b.Prove(tally.Votes, hash); (err == nil) != want {
					t.Fatalf("sequence %d, %s: met is %v, the proof says %v", i, hash, want, err)
				}
				if want {
					met++
					proved += refusals(t, b, tally)
				}
			}
			if _, isVeto := b.Rejections(); isVeto {
				vetoed++
			}
		}
	}
	if met < sequences/20 || vetoed < sequences/20 || proved < met {
		t.Errorf("only %d met, %d vetoed, %d proofs refused: the test sees little", met, vetoed, proved)
	}
}

func randomBallot(r *rand.Rand) *Ballot {
	roles := []string{"finance", "security", "ops", "law"}
	q := &Requires{Policies: []PolicyRef{{ID: "p", Version: 1}}, Rejections: 1 + r.IntN(3)}
	for _, role := range roles[:1+r.IntN(3)] {
		s := Seat{Role: role, Approvals: 1 + r.IntN(2)}
		for _, other := range roles {
			if other != role && r.IntN(3) == 0 {
				s.Also = append(s.Also, Also{Role: other, After: int64(1 + r.IntN(5))})
			}
		}
		q.Quorum = append(q.Quorum, s)
	}
	return &Ballot{Requires: q, ReceivedAt: noon, Requester: "u0"}
}

func randomVote(r *rand.Rand, b *Ballot, number int64) Vote {
	return Vote{Number: number, User: fmt.Sprintf("u%d", r.IntN(6)), Role: []string{"finance", "security", "ops", "law", "guest"}[r.IntN(5)],
		Hash: []string{"asked", "asked", "edited", "again"}[r.IntN(4)], Approves: r.IntN(5) > 0,
		At: b.ReceivedAt.Add(time.Duration(number) * time.Second)}
}
