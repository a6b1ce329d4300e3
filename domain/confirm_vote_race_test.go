package domain_test

import (
	"os"
	"sync"
	"testing"
	"time"

	"countersign/domain"
)

// raceRounds is how often a race is run. COUNTERSIGN_SOAK=1 runs it 1,000 times.
func raceRounds(few int) int {
	if os.Getenv("COUNTERSIGN_SOAK") == "1" {
		return 1000
	}
	return few
}

// TestVote_OneEnd: the last approval, a veto, a cancellation and the deadline come at
// once, and exactly one of them ends the request.
func TestVote_OneEnd(t *testing.T) {
	t.Parallel()
	w := newVotingWorld(t, "")
	ends := map[domain.Cause]int{}
	for i := range raceRounds(40) {
		c := w.post(w.agent, transfer)
		w.mustVote(w.fay, c, domain.Approved, "")
		w.pass(299 * time.Second)
		var wg sync.WaitGroup
		for _, act := range []func(){
			func() { _, _ = w.vote(w.sue, c, domain.Approved, "") },
			func() { _, _ = w.vote(w.finn, c, domain.Rejected, "") },
			func() { _, _ = w.vote(w.ed, c, domain.Approved, "security") },
			func() { _, _ = w.CancelConfirm(w.ctx, w.agent, c.ID, "") },
		} {
			wg.Go(act)
		}
		if i%4 == 0 {
			wg.Go(func() { w.pass(time.Second); _, _ = w.ExpireDue(w.ctx, -1) })
		}
		wg.Wait()
		o := w.outcome(c.ID)
		if !o.IsFinal() {
			t.Fatalf("nothing ended %+v", o.Confirm)
		}
		ends[o.Decision.Cause]++
		if proof, err := w.Prove(w.ctx, domain.System, c.ID); err != nil || !proof.Proven {
			t.Errorf("%s by %s: %+v, %v", o.Confirm.Status, o.Decision.Cause, proof, err)
		}
	}
	w.close()
	wantVerified(t, "after the races", verify(t, w.file, ""))
	if len(ends) < 2 {
		t.Errorf("there was no race: %v", ends)
	}
}

// TestVote_OneUserAtOnce: one user votes 16 times at once, in two roles and from two
// browsers, and has one vote.
func TestVote_OneUserAtOnce(t *testing.T) {
	t.Parallel()
	w := newVotingWorld(t, "")
	for range raceRounds(20) {
		c := w.post(w.agent, transfer)
		var wg sync.WaitGroup
		for range 16 {
			wg.Go(func() { _, _ = w.vote(w.fay, c, domain.Approved, "") })
		}
		wg.Wait()
		detail, err := w.Confirm(w.ctx, w.fay, c.ID)
		if err != nil || len(detail.Decisions) != 1 {
			t.Fatalf("%d votes of one user, %v", len(detail.Decisions), err)
		}
		for i := range 16 {
			role := []string{"finance", "security"}[i%2]
			wg.Go(func() { _, _ = w.vote(w.ed, c, domain.Approved, role) })
		}
		wg.Wait()
		// Fay fills finance, and Ed has the one seat that he chose last.
		o := w.outcome(c.ID)
		if o.IsFinal() {
			continue
		}
		if got := counts(o); got != "finance 1 of 1, security 0 of 1" {
			t.Fatalf("two users have %s", got)
		}
	}
	w.close()
	wantVerified(t, "after the races", verify(t, w.file, ""))
}
