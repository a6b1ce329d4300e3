package quorum

import (
	"errors"
	"slices"
	"time"
)

// Vote is a decision that is counted. Users and roles are named by their ids.
type Vote struct {
	Number   int64 // of the entry; later votes have larger ones
	User     string
	Role     string // in which it is cast
	Hash     string // effective hash of what was voted on
	Approves bool   // otherwise it rejects
	At       time.Time
	Lapsed   bool // the voter has lost the role, the capability or the account since
}

// Ballot is the voting on one request.
type Ballot struct {
	Requires   *Requires
	ReceivedAt time.Time
	Requester  string // the user of the requester's group, who has no vote; may be empty
	Votes      []Vote // in order, with those that were replaced
}

// Reasons for which a vote is refused.
var (
	ErrOwnRequest = errors.New("the requester has no vote")
	ErrRole       = errors.New("the role has no vote on this request, or not yet")
	ErrRejected   = errors.New("a rejection cannot become an approval")
)

// Check reports whether a vote would change anything. The same vote again changes
// nothing, unless its role may fill more by now. Errors are ErrOwnRequest, ErrRole and
// ErrRejected.
func (b *Ballot) Check(v Vote) (changes bool, err error) { return b.check(b.standing(), v) }

func (b *Ballot) check(standing []Vote, v Vote) (changes bool, err error) {
	if v.User == b.Requester {
		return false, ErrOwnRequest
	}
	seats := len(b.seats(v.Role, v.At))
	if seats == 0 {
		return false, ErrRole
	}
	i := slices.IndexFunc(standing, func(o Vote) bool { return o.User == v.User })
	if i < 0 {
		return true, nil
	}
	switch old := standing[i]; {
	case old.Approves:
		return !v.Approves || v.Hash != old.Hash || v.Role != old.Role || seats != len(b.seats(old.Role, old.At)), nil
	case v.Approves:
		return false, ErrRejected
	default:
		return false, nil
	}
}

// Standing returns the numbers of the votes that were not replaced.
func (b *Ballot) Standing() (numbers []int64) {
	for _, v := range b.standing() {
		numbers = append(numbers, v.Number)
	}
	return numbers
}

// standing returns the vote that counts of each user, in order. Votes that Check refuses
// do not count.
func (b *Ballot) standing() (list []Vote) {
	for _, v := range b.Votes {
		if changes, err := b.check(list, v); err != nil || !changes {
			continue
		}
		list = slices.DeleteFunc(list, func(o Vote) bool { return o.User == v.User })
		list = append(list, v)
	}
	return list
}

// Seats returns the roles of the thresholds that a role may fill at a time.
func (b *Ballot) Seats(role string, at time.Time) (list []string) {
	for _, i := range b.seats(role, at) {
		list = append(list, b.Requires.Quorum[i].Role)
	}
	return list
}

// seats returns the indices of the thresholds that a role may fill at a time.
func (b *Ballot) seats(role string, at time.Time) (list []int) {
	for i, s := range b.Requires.Quorum {
		from := int64(-1)
		if s.Role == role {
			from = 0
		}
		for _, a := range s.Also {
			if a.Role == role && from < 0 {
				from = a.After
			}
		}
		if from >= 0 && !at.Before(b.ReceivedAt.Add(time.Duration(from)*time.Second)) {
			list = append(list, i)
		}
	}
	return list
}

// Eligible is a role that may vote from a time on.
type Eligible struct {
	Role string
	From time.Time
}

// Eligible returns the roles that may vote at some time, each from its earliest.
func (b *Ballot) Eligible() (list []Eligible) {
	add := func(role string, after int64) {
		from := b.ReceivedAt.Add(time.Duration(after) * time.Second)
		i := slices.IndexFunc(list, func(e Eligible) bool { return e.Role == role })
		if i < 0 {
			list = append(list, Eligible{role, from})
		} else if from.Before(list[i].From) {
			list[i].From = from
		}
	}
	for _, s := range b.Requires.Quorum {
		add(s.Role, 0)
		for _, a := range s.Also {
			add(a.Role, a.After)
		}
	}
	return list
}
