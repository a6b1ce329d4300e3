package domain_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"testing"

	"countersign/domain"
)

// voteOracle counts as people would: who approved what, one vote each, and a veto.
type voteOracle struct {
	approved map[string]string // what each user approves, by name
	role     map[string]string // in which role
	status   domain.Status
}

func (o *voteOracle) vote(user, role, what string) {
	switch {
	case o.status != domain.Pending:
	case what == "reject":
		o.status = domain.Rejected
	default:
		o.approved[user], o.role[user] = what, role
		seats := map[string]bool{}
		for other, variant := range o.approved {
			if variant == what {
				seats[o.role[other]] = true
			}
		}
		if seats["finance"] && seats["security"] {
			o.status = domain.Approved
		}
	}
}

// TestVote_CountsAsPeopleWould plays random votes, edits and vetoes.
// COUNTERSIGN_SOAK=1 plays 100,000 requests.
func TestVote_CountsAsPeopleWould(t *testing.T) {
	t.Parallel()
	requests := 200
	if os.Getenv("COUNTERSIGN_SOAK") == "1" {
		requests = 100_000
	}
	w := newVotingWorld(t, "")
	random := rand.New(rand.NewPCG(44, 44))
	voters := []struct {
		name  string
		ref   domain.Ref
		roles []string
	}{{"fay", w.fay, []string{"finance"}}, {"finn", w.finn, []string{"finance"}}, {"sue", w.sue, []string{"security"}}, {"ed", w.ed, []string{"finance", "security"}}}
	variants := []string{"as asked", `{"amount":11000}`, `{"amount":12000}`}
	ends := map[domain.Status]int{}
	for n := range requests {
		c := w.post(w.agent, transfer)
		o := &voteOracle{approved: map[string]string{}, role: map[string]string{}, status: domain.Pending}
		played := ""
		for range 1 + random.IntN(9) {
			v := voters[random.IntN(len(voters))]
			role, what := v.roles[random.IntN(len(v.roles))], variants[random.IntN(len(variants))]
			if random.IntN(12) == 0 {
				what = "reject"
			}
			in := domain.DecisionInput{ContentHash: c.ContentHash, DecidedByRole: role, Status: domain.Approved}
			switch what {
			case "reject":
				in.Status = domain.Rejected
			case "as asked":
			default:
				in.Status, in.Actions = "", editTo(what)
			}
			_, err := w.Decide(w.ctx, v.ref, c.ID, in)
			if (err != nil) != (o.status != domain.Pending) {
				t.Fatalf("request %d:%s\n%s in %s: %s: %v", n, played, v.name, role, what, err)
			}
			o.vote(v.name, role, what)
			played += fmt.Sprintf("\n%s in %s: %s", v.name, role, what)
			if got := w.outcome(c.ID).Confirm.Status; got != o.status {
				t.Fatalf("request %d:%s\nis %s, want %s", n, played, got, o.status)
			}
		}
		ends[o.status]++
		if o.status == domain.Pending { // else the key has too many
			if _, err := w.CancelConfirm(w.ctx, w.agent, c.ID, ""); err != nil {
				t.Fatal(err)
			}
		}
	}
	if len(ends) != 3 {
		t.Errorf("the requests end %v", ends)
	}
	w.close()
	wantVerified(t, "all votes", verify(t, w.file, ""))
}
