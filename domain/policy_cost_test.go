package domain_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"countersign/domain"
)

// largestPost has as many actions and arguments as a request may.
func largestPost(w *world) string {
	limits := w.Limits()
	action := func(text string) string {
		return fmt.Sprintf(`{"name":"bulk_import","args":{"big":[%s1],"text":%q}}`, strings.Repeat("1,", 999), text)
	}
	room := limits.Body/limits.Actions - len(action("")) - 8
	return fmt.Sprintf(`{"target_type":"other","actions":[%s]}`, strings.Join(slices.Repeat([]string{action(strings.Repeat("a", room))}, limits.Actions), ","))
}

// Whatever policies make the server compute, and of how much: the largest request is
// accepted, needs what all of them require, and says why.
func TestPolicy_CostOfTheLargestPostIsBounded(t *testing.T) {
	t.Parallel()
	for name, condition := range map[string]string{
		"loops":       "args.big.all(x, args.big.all(y, x + y >= 0))",
		"comparisons": "actions == actions && actions != []",
		"lists":       "args.big.map(x, args.big) == args.big.map(x, args.big)",
		"searches":    "args.text.matches('(a|aa|a.a){9}$')",
		"texts":       "[args.text].all(a, [a+a].all(b, [b+b].all(c, [c+c].all(d, [d+d].all(e, [e+e].all(f, size(f+f) < 0))))))",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			agent, reviewer := w.key("agent", "executor"), w.user("reviewer", "reviewer")
			const most = domain.MaxPolicies - 3 // beside the seeded ones
			for i := range most {
				w.policy(fmt.Sprintf(`{"v":1,"name":"Imports %02d","effect":"require","match":{"tools":["bulk_*"]},"condition":%q,"quorum":[{"role":"reviewer","approvals":%d}]}`,
					i, condition+" && tool == 'x'", 1+i/90))
			}
			body := largestPost(w)
			if len(body) > w.Limits().Body || len(body) < w.Limits().Body*9/10 {
				t.Fatalf("the request has %d bytes", len(body))
			}
			c := w.post(agent, body)
			if c.Status != domain.Pending || c.Quorum != 2 {
				t.Errorf("%s, and %d must approve", c.Status, c.Quorum)
			}
			if got, want := w.PolicyMetrics(), (domain.PolicyMetrics{Required: most, Unknown: most}); got != want {
				t.Errorf("counted are %+v, want %+v", got, want)
			}
			detail, err := w.Confirm(w.ctx, reviewer, c.ID)
			if err != nil || len(detail.Voting.Policies) != most {
				t.Fatalf("%+v, %v", detail.Voting, err)
			}
			for i, want := range []string{"the condition takes too long to compute", "the conditions of this request together take too long to compute"} {
				if got := detail.Voting.Policies[i].Because; got != want {
					t.Errorf("policy %d matched because %q, want %q", i, got, want)
				}
			}
		})
	}
}

// What cannot be computed is rejected where a policy rejects.
func TestPolicy_RejectsWhatCostsTooMuch(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.policy(`{"v":1,"name":"No pairs","effect":"reject","condition":"args.big.all(x, args.big.all(y, x + y >= 0)) && tool == 'x'"}`)
	c := w.post(w.key("agent", "executor"), largestPost(w))
	if o := w.outcome(c.ID); o.Confirm.Status != domain.Rejected || o.Decision.Cause != domain.CausePolicy {
		t.Errorf("%+v by %+v", o.Confirm, o.Decision)
	}
	if got, want := w.PolicyMetrics(), (domain.PolicyMetrics{Rejected: 1, Unknown: 1}); got != want {
		t.Errorf("counted are %+v, want %+v", got, want)
	}
}
