package domain_test

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"countersign/domain"
	"countersign/store/postgrestest"
)

// voteNodes are two servers on one PostgreSQL database, with clocks that agree.
type voteNodes struct {
	*testing.T
	nodes  [2]*world
	agent  domain.Ref
	voters []domain.Ref // half of them of finance, half of security
	lead   domain.Ref   // may vote later
	policy *domain.PolicyVersion
}

func newVoteNodes(t *testing.T, url, files string) *voteNodes {
	w := votingOn(openWorldAt(t, url, files), `,"timeout":3600,"escalate":[{"after":900,"role":"ops_lead","for":"security"}]`)
	n := &voteNodes{T: t, nodes: [2]*world{w.world, openWorldAt(t, url, files)}, agent: w.agent, lead: w.user("lead", "ops_lead", "reviewer"),
		policy: &w.policyDetail("Large transfers").PolicyVersion}
	for i := range 16 {
		n.voters = append(n.voters, w.user(fmt.Sprint("voter-", i), []string{"finance", "security"}[i%2], "reviewer"))
	}
	return n
}

// together does something on both nodes at once, each of them twice.
func (n *voteNodes) together(do func(w *world)) {
	var wg sync.WaitGroup
	for i := range 4 {
		wg.Go(func() { do(n.nodes[i%2]) })
	}
	wg.Wait()
}

// save saves a version that needs so many of finance on a node.
func (n *voteNodes) save(on *world, finance int) {
	named := string(on.policyDetail(n.policy.ID).Named.Marshal())
	document := strings.Replace(named, `"role":"finance","approvals":`+fmt.Sprint(3-finance), `"role":"finance","approvals":`+fmt.Sprint(finance), 1)
	saved, err := on.SavePolicy(on.ctx, domain.System, domain.PolicyInput{ID: n.policy.ID, Version: n.policy.Version, Document: []byte(document), Enabled: true})
	if err != nil {
		n.Fatal(err)
	}
	n.policy = saved.Policy
}

// race has all vote at once, each on some node, and half of them on both.
func (n *voteNodes) race(c *domain.Confirm, random *rand.Rand) {
	var wg sync.WaitGroup
	for i, voter := range n.voters {
		in := domain.DecisionInput{ContentHash: c.ContentHash, Status: domain.Approved}
		switch random.IntN(20) {
		case 0:
			in.Status = domain.Rejected
		case 1, 2, 3, 4:
			in.Status, in.Actions = "", editTo(`{"amount":11000}`)
		}
		on := n.nodes[:]
		if i%4 < 2 {
			on = on[random.IntN(2):][:1]
		}
		for _, w := range on {
			wg.Go(func() {
				_, err := w.Decide(w.ctx, voter, c.ID, in)
				switch domain.ErrorCode(err) {
				case "", domain.CodeAlreadyDecided, domain.CodeAlreadyVoted:
				default:
					n.Errorf("a vote: %v", err)
				}
			})
		}
	}
	wg.Wait()
}

// types are the types of a request's entries, as a node has them.
func (n *voteNodes) types(w *world, id string) (list []string) {
	entries, err := w.Entries(w.ctx, domain.System, domain.EntryFilter{ConfirmID: id, Limit: 100})
	if err != nil {
		n.Fatal(err)
	}
	for _, e := range entries {
		list = append(list, e.Type)
	}
	return list
}

// check checks that a request has ended once, for both nodes alike, by votes that are
// proved, of which no user has two.
func (n *voteNodes) check(c *domain.Confirm) domain.Status {
	var said [2]string
	var status domain.Status
	for i, w := range n.nodes {
		o := w.outcome(c.ID)
		status = o.Confirm.Status
		proof, err := w.Prove(w.ctx, domain.System, c.ID)
		if !o.IsFinal() || err != nil || !proof.Proven {
			n.Errorf("%s: %+v, %v", status, proof, err)
		}
		said[i] = fmt.Sprint(status, o.Decision.Seq, n.types(w, c.ID))
	}
	if said[0] != said[1] {
		n.Errorf("one node says %s, the other %s", said[0], said[1])
	}
	if ends := strings.Count(said[0], "confirm.approved") + strings.Count(said[0], "confirm.rejected") + strings.Count(said[0], "confirm.cancelled"); ends != 1 {
		n.Errorf("%d ends: %s", ends, said[0])
	}
	detail, err := n.nodes[0].Confirm(n.nodes[0].ctx, n.lead, c.ID)
	if err != nil {
		n.Fatal(err)
	}
	standing := map[domain.Ref]bool{}
	for _, vote := range detail.Voting.Votes {
		if standing[vote.DecidedBy] && !vote.IsReplaced {
			n.Errorf("%s has two votes", vote.DecidedByName)
		}
		standing[vote.DecidedBy] = standing[vote.DecidedBy] || !vote.IsReplaced
	}
	return status
}

// TestBarR3_VotesOnTwoNodes: 16 people vote at once on two nodes. What one node saves of a
// policy is in force in the next post to the other; there is one end and one vote for each
// user; and both clocks tell an escalation once. COUNTERSIGN_SOAK=1 has 1,000 requests.
func TestBarR3_VotesOnTwoNodes(t *testing.T) {
	t.Parallel()
	url, files := postgrestest.Database(t), filepath.Join(t.TempDir(), "outside")
	n, random, ends := newVoteNodes(t, url, files), rand.New(rand.NewPCG(3, 17)), map[domain.Status]int{}
	began, rounds := time.Now(), raceRounds(24)
	for round := range rounds {
		here, there := n.nodes[round%2], n.nodes[1-round%2]
		if round%3 == 0 {
			n.save(here, 2-round/3%2)
		}
		c := there.post(n.agent, transfer)
		detail, err := there.Confirm(there.ctx, n.lead, c.ID)
		if err != nil {
			t.Fatal(err)
		}
		if got := detail.Voting.Policies[0].Version; got != n.policy.Version || c.Quorum != 3-round/3%2 {
			t.Fatalf("round %d: version %d is in force, and %d must approve; version %d was saved", round, got, c.Quorum, n.policy.Version)
		}
		if round%4 == 3 {
			for _, w := range n.nodes {
				w.pass(900 * time.Second)
			}
			n.together(func(w *world) {
				if err := w.EscalateDue(w.ctx); err != nil {
					t.Error(err)
				}
			})
			if told := strings.Count(strings.Join(n.types(here, c.ID), " "), "confirm.escalated"); told != 1 {
				t.Errorf("round %d: the escalation was told %d times", round, told)
			}
			here.mustVote(n.lead, c, domain.Approved, "ops_lead")
		}
		n.race(c, random)
		if !there.outcome(c.ID).IsFinal() {
			n.together(func(w *world) { _, _ = w.CancelConfirm(w.ctx, n.agent, c.ID, "") })
		}
		ends[n.check(c)]++
	}
	if ends[domain.Approved] == 0 || ends[domain.Rejected] == 0 {
		t.Errorf("there was no race: %v", ends)
	}
	for _, w := range n.nodes {
		w.close()
	}
	wantVerified(t, "after the races", verifyAt(t, url, files, ""))
	t.Logf(`{"bar":"R3, votes on two nodes","n":%d,"ends":%q,"wall_s":%.1f}`, rounds, fmt.Sprint(ends), time.Since(began).Seconds())
}
