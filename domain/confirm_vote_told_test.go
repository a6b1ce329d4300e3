package domain_test

import (
	"strings"
	"testing"

	"countersign/domain"
)

// While votes come in, streams and the gate notice nothing.
func TestVote_StreamsAndGateNoticeNothingBeforeTheEnd(t *testing.T) {
	t.Parallel()
	w := newVotingWorld(t, "")
	worker, reviewer := w.worker(), w.user("rea", "reviewer")
	w.running(worker, reviewer, "p")
	frames := func() (n int) {
		t.Helper()
		if err := domain.FramePages(w.Service, worker, "s-1", func(page []domain.Frame) { n += len(page) }); err != nil {
			t.Fatal(err)
		}
		return n
	}
	gate := func() string {
		t.Helper()
		v, err := w.Gate(w.ctx, worker, domain.GateQuery{PlanID: "p", StepID: "s1"})
		if err != nil {
			t.Fatal(err)
		}
		return v.Verdict + " " + v.Code
	}
	c := w.post(worker, strings.Replace(transfer, `"target_type":"other"`, `"target_type":"other","plan_id":"p","step_id":"s1","session_id":"s-1"`, 1))
	asked := frames()
	w.mustVote(w.fay, c, domain.Approved, "")
	if got := frames(); asked == 0 || got != asked {
		t.Errorf("%d frames after a vote, %d before", got, asked)
	}
	if got := gate(); got != "BLOCK pending" {
		t.Errorf("after a vote the gate says %s", got)
	}
	w.mustVote(w.sue, c, domain.Approved, "")
	if got := frames(); got <= asked {
		t.Errorf("the end gives no frame: %d", got)
	}
	if got := gate(); got != "RESUME approved" {
		t.Errorf("after the last vote the gate says %s", got)
	}
}

// Each decision on a plan that counted is a sample to learn from.
func TestVote_SamplesOfEachThatCounted(t *testing.T) {
	t.Parallel()
	w := newVotingWorld(t, "")
	worker := w.worker()
	w.policy(`{"v":1,"name":"Plans","effect":"require","match":{"target_types":["plan"]},
		"quorum":[{"role":"finance","approvals":1},{"role":"security","approvals":1}]}`)
	c := w.propose(worker, w.plan(worker, "p-1"))
	w.mustVote(w.fay, c, domain.Approved, "")
	if status := w.planStatus("p-1"); status != domain.PlanProposed || len(w.samples()) != 0 {
		t.Errorf("one of two votes makes the plan %s, with %d samples", status, len(w.samples()))
	}
	w.mustVote(w.sue, c, domain.Approved, "")
	if status := w.planStatus("p-1"); status != domain.PlanApproved {
		t.Errorf("both votes make the plan %s", status)
	}
	ids := map[string]bool{}
	for _, s := range w.samples() {
		ids[s["sample_id"].(string)] = true
	}
	if len(ids) != 2 {
		t.Errorf("%d samples of two votes", len(ids))
	}
}
