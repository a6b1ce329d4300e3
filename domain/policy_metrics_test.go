package domain_test

import (
	"testing"

	"countersign/domain"
)

func TestPolicyMetrics_CountMatchesAndVotes(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	asker, reviewer, second := w.key("asker", "executor"), w.user("reviewer", "reviewer"), w.user("second", "human_user")
	want := func(step string, counts domain.PolicyMetrics) {
		t.Helper()
		if got := w.PolicyMetrics(); got != counts {
			t.Errorf("%s: %+v, want %+v", step, got, counts)
		}
	}
	w.mustDecide(reviewer, w.post(asker, call("pay", `{"amount":999}`)), domain.Approved)
	want("without policies", domain.PolicyMetrics{})
	w.policy(payments)
	w.policy(`{"v":1,"name":"Never","effect":"reject","match":{"tools":["wipe"]}}`)
	w.post(asker, call("send", `{}`))
	want("nothing matches", domain.PolicyMetrics{})
	c := w.post(asker, call("pay", `{}`))
	want("a request", domain.PolicyMetrics{Required: 1, Unknown: 1})
	w.mustDecide(reviewer, c, domain.Approved)
	w.mustDecide(second, c, domain.Approved)
	want("two votes", domain.PolicyMetrics{Required: 1, Unknown: 1, Votes: 2})
	w.post(asker, call("wipe", `{}`))
	want("a rejection", domain.PolicyMetrics{Required: 1, Rejected: 1, Unknown: 1, Votes: 2})
}
