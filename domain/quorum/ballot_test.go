package quorum

import (
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

var noon = time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)

func ballotOf(quorum ...Seat) *Ballot {
	return &Ballot{Requires: &Requires{Policies: []PolicyRef{{ID: "p", Version: 1}}, Quorum: quorum, Rejections: 1}, ReceivedAt: noon, Requester: "agent-owner"}
}

func TestBallot_Check(t *testing.T) {
	t.Parallel()
	b := ballotOf(Seat{Role: "finance", Approvals: 2, Also: []Also{{Role: "ops", After: 900}}}, Seat{Role: "law", Approvals: 1})
	b.Votes = []Vote{
		{Number: 1, User: "kim", Role: "finance", Hash: "asked", Approves: true, At: noon},
		{Number: 2, User: "lee", Role: "finance", Hash: "asked", At: noon},
	}
	for name, tc := range map[string]struct {
		vote    Vote
		changes bool
		err     error
	}{
		"another user":                {Vote{User: "max", Role: "law", Hash: "asked", Approves: true, At: noon}, true, nil},
		"the requester":               {Vote{User: "agent-owner", Role: "law", Hash: "asked", Approves: true, At: noon}, false, ErrOwnRequest},
		"the requester's rejection":   {Vote{User: "agent-owner", Role: "law", At: noon}, false, ErrOwnRequest},
		"a role without a vote":       {Vote{User: "max", Role: "guest", Hash: "asked", Approves: true, At: noon}, false, ErrRole},
		"a veto without a vote":       {Vote{User: "max", Role: "guest", At: noon}, false, ErrRole},
		"an escalation too early":     {Vote{User: "max", Role: "ops", Hash: "asked", Approves: true, At: noon.Add(900*time.Second - 1)}, false, ErrRole},
		"an escalation in time":       {Vote{User: "max", Role: "ops", Hash: "asked", Approves: true, At: noon.Add(900 * time.Second)}, true, nil},
		"the same again":              {Vote{User: "kim", Role: "finance", Hash: "asked", Approves: true, At: noon}, false, nil},
		"the same in another role":    {Vote{User: "kim", Role: "law", Hash: "asked", Approves: true, At: noon}, true, nil},
		"an approval of an edit":      {Vote{User: "kim", Role: "finance", Hash: "edited", Approves: true, At: noon}, true, nil},
		"approval becomes rejection":  {Vote{User: "kim", Role: "finance", Hash: "asked", At: noon}, true, nil},
		"rejection stays a rejection": {Vote{User: "lee", Role: "finance", Hash: "asked", At: noon}, false, nil},
		"rejection becomes approval":  {Vote{User: "lee", Role: "finance", Hash: "edited", Approves: true, At: noon}, false, ErrRejected},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if changes, err := b.Check(tc.vote); changes != tc.changes || !errors.Is(err, tc.err) {
				t.Errorf("got %v, %v", changes, err)
			}
		})
	}
}

// Nobody fills two seats, and an early vote does not keep a seat from a later one.
func TestBallot_Count(t *testing.T) {
	t.Parallel()
	b := ballotOf(Seat{Role: "finance", Approvals: 1, Also: []Also{{Role: "ops", After: 60}}}, Seat{Role: "security", Approvals: 1, Also: []Also{{Role: "finance", After: 60}}})
	later := noon.Add(time.Minute)
	b.Votes = []Vote{{Number: 7, User: "kim", Role: "finance", Hash: "asked", Approves: true, At: later}}
	if tally := b.Count("asked"); tally.IsMet || tally.Quorum[0].Approved != 1 || tally.Quorum[1].Approved != 0 {
		t.Errorf("one vote is counted as %+v", tally)
	}
	b.Votes = append(b.Votes, Vote{Number: 9, User: "lee", Role: "ops", Hash: "asked", Approves: true, At: later})
	want := Tally{Hash: "asked", IsMet: true, Quorum: []Progress{{"finance", 1, 1}, {"security", 1, 1}}, Votes: []int64{7, 9}}
	if diff := cmp.Diff(want, b.Count("asked")); diff != "" {
		t.Error(diff)
	}
	b.Votes = append(b.Votes, Vote{Number: 11, User: "lee", Role: "ops", Hash: "edited", Approves: true, At: later})
	if list := b.Variants(); len(list) != 2 || list[0].IsMet || list[1].IsMet || list[1].Hash != "edited" {
		t.Errorf("variants are %+v", list)
	}
	b.Votes[2].Lapsed = true
	if b.Count("asked").IsMet {
		t.Error("a replaced approval counts again when the later one lapses")
	}
}

func TestBallot_Eligible(t *testing.T) {
	t.Parallel()
	b := ballotOf(Seat{Role: "finance", Approvals: 1, Also: []Also{{Role: "ops", After: 60}}}, Seat{Role: "law", Approvals: 1, Also: []Also{{Role: "ops", After: 30}, {Role: "finance", After: 30}}})
	want := []Eligible{{"finance", noon}, {"ops", noon.Add(30 * time.Second)}, {"law", noon}}
	if diff := cmp.Diff(want, b.Eligible()); diff != "" {
		t.Error(diff)
	}
}
