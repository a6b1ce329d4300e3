package evidence

import (
	"encoding/json"
	"errors"
	"fmt"

	"countersign/domain/quorum"
)

// EntryVoted is the type of a decision that did not end its request.
const EntryVoted = "confirm.voted"

// Voting follows the votes on one request through its entries, and proves that they led
// to its end.
type Voting struct {
	requires       quorum.Requires
	requestedGroup string
	requested      *Entry
	votes          []*Entry
}

// votingFacts are the members of an entry's data that votes are counted by.
type votingFacts struct {
	Quorum         []quorum.Seat `json:"quorum"`
	Rejections     int           `json:"rejections"`
	RequestedGroup string        `json:"requested_group"`
	RoleID         string        `json:"role_id"`
	Vote           string        `json:"vote"`
	Votes          []int64       `json:"votes"`
}

func votingFactsOf(e *Entry) (f votingFacts, err error) {
	if len(e.Data) > 0 {
		err = json.Unmarshal(e.Data, &f)
	}
	return f, err
}

// NewVoting returns the voting that a request needs by its entry, nil if it needs none.
func NewVoting(requested *Entry) (*Voting, error) {
	f, err := votingFactsOf(requested)
	if err != nil || len(f.Quorum) == 0 {
		return nil, err
	}
	return &Voting{requires: quorum.Requires{Quorum: f.Quorum, Rejections: f.Rejections}, requestedGroup: f.RequestedGroup, requested: requested}, nil
}

// Add takes the entry of a vote.
func (v *Voting) Add(e *Entry) { v.votes = append(v.votes, e) }

// Matches reports whether the entries require what the content does.
func (v *Voting) Matches(content *quorum.Requires) bool {
	if v == nil || content == nil {
		return v == nil && content == nil
	}
	entries := v.requires
	entries.Policies = content.Policies
	return string(entries.Marshal()) == string(content.Marshal())
}

// Ballot returns the votes so far, of which the last may be the decision that ended the
// request. isLapsed says that a voter has lost the right since; nil: nobody has.
func (v *Voting) Ballot(isLapsed func(*Entry) bool) (*quorum.Ballot, error) {
	b := &quorum.Ballot{Requires: &v.requires, ReceivedAt: v.requested.At, Requester: v.requestedGroup}
	for _, e := range v.votes {
		f, err := votingFactsOf(e)
		if err == nil && (e.Kind != "user" || e.ConfirmID != v.requested.ConfirmID || e.ContentHash != v.requested.ContentHash) {
			err = errNoVote
		}
		if err != nil {
			return nil, fmt.Errorf("log entry %d: %w", e.Seq, err)
		}
		b.Votes = append(b.Votes, quorum.Vote{
			Number: e.Seq, User: e.Principal, Role: f.RoleID, Hash: e.EffectiveHash, At: e.At,
			Approves: e.Type == "confirm.approved" || e.Type == EntryVoted && f.Vote == "approved",
			Lapsed:   isLapsed != nil && isLapsed(e),
		})
	}
	return b, nil
}

var (
	errVotesMissing = errors.New("it names no votes")
	errNoVote       = errors.New("it is no vote of a user on this content")
)

// Votes returns the numbers of the votes that the entry names, which only the end of a
// voting does.
func (e *Entry) Votes() []int64 {
	f, _ := votingFactsOf(e) // what cannot be read names none
	return f.Votes
}

// Prove checks that the votes that the final entry names are enough for it. Ends that
// nobody voted for, such as a deadline, need none.
func (v *Voting) Prove(final *Entry, isLapsed func(*Entry) bool) error {
	if final.Type == "confirm.cancelled" || final.Type == "confirm.rejected" && final.Cause == "timeout" {
		return nil
	}
	f, err := votingFactsOf(final)
	if err != nil || len(f.Votes) == 0 {
		return errors.Join(errVotesMissing, err)
	}
	all := *v
	all.votes = append(v.votes[:len(v.votes):len(v.votes)], final)
	b, err := all.Ballot(isLapsed)
	if err != nil {
		return err
	}
	if final.Type == "confirm.approved" {
		return b.Prove(f.Votes, final.EffectiveHash)
	}
	return b.ProveRejection(f.Votes)
}
