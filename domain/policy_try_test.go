package domain_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"countersign/domain"
)

// call returns a request to call a tool.
func call(tool, args string) string {
	return fmt.Sprintf(`{"target_type":"other","reason":"because","actions":[{"name":%q,"args":%s}]}`, tool, args)
}

func (w *world) try(by domain.Ref, document string, last int) *domain.PolicyTrial {
	w.t.Helper()
	trial, err := w.TryPolicy(w.ctx, by, []byte(document), last)
	if err != nil {
		w.t.Fatal(err)
	}
	return trial
}

func TestTryPolicy_CountsPastRequests(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	asker, reviewer := w.key("asker", "executor"), w.user("reviewer", "reviewer")
	old := w.post(asker, call("pay", `{"amount":999}`))
	w.mustDecide(reviewer, old, domain.Rejected)
	w.pass(48 * time.Hour)
	if n, err := w.Prune(w.ctx, time.Hour); err != nil || n != 1 {
		t.Fatal(n, err)
	}
	first := w.post(asker, call("PAY", `{"amount":101}`))
	w.post(asker, call("pay", `{"amount":100}`))
	missing := w.post(asker, call("pay", `{"Amount":101}`))
	quoted := w.post(asker, call("pay", `{"amount":"101"}`))
	w.post(asker, call("send", `{"amount":999}`))
	w.post(asker, `{"target_type":"other","status":"approved","decisions":[{"status":"approved","decided_by_role":"reviewer"}],"actions":[{"name":"pay","args":{"amount":999}}]}`)
	ended := w.post(asker, call("pay", `{"amount":1000}`))
	w.mustDecide(reviewer, ended, domain.Approved)
	entries := len(w.entryTypes())

	trial := w.try(domain.System, payments, 0)
	var got []string
	for _, m := range trial.Matches {
		got = append(got, m.Row.ID+" "+m.Because+" "+strings.Join(m.Row.Tools, " ")+" "+m.Row.Reason.String())
	}
	want := []string{ended.ID + "  pay because", quoted.ID + " args.amount is text pay because", missing.ID + " args.amount is missing pay because", first.ID + "  PAY because"}
	if !slices.Equal(got, want) {
		t.Errorf("matches\n%q, want\n%q", got, want)
	}
	if trial.Looked != 6 || trial.Unknown != 2 || trial.NeedsMore != 4 || trial.IsCutOff {
		t.Errorf("looked at %d, %d unknown, %d need more, cut off %v", trial.Looked, trial.Unknown, trial.NeedsMore, trial.IsCutOff)
	}
	if trial.Sentence == "" || len(trial.Shortages) != 1 || trial.Shortages[0].Role != "human_user" {
		t.Errorf("%q, %+v", trial.Sentence, trial.Shortages)
	}
	if few := w.try(domain.System, payments, 2); few.Looked != 2 || len(few.Matches) != 1 {
		t.Errorf("of the last two: %+v", few)
	}
	if now := w.entryTypes(); len(now) != entries {
		t.Errorf("a trial wrote %q", now[entries:])
	}
	for _, last := range []int{-1, 1001} {
		_, err := w.TryPolicy(w.ctx, domain.System, []byte(payments), last)
		w.wantCode(err, domain.CodeInvalid)
	}
	rejecting := w.try(domain.System, `{"v":1,"name":"No","effect":"reject","match":{"tools":["pay"]}}`, 0)
	if len(rejecting.Matches) != 5 || rejecting.NeedsMore != 0 || len(rejecting.Holders) != 0 {
		t.Errorf("a rejecting policy: %+v", rejecting)
	}
}

func TestTryPolicy_ShowsWhatTheReaderSees(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.user("owner", "executor")
	mine := w.keyFor(domain.KeyInput{Name: "mine", Roles: []string{"executor", w.role("reads", "policy.read")}, Owner: "owner"})
	for range 3 {
		w.post(mine, call("pay", `{"amount":999}`))
		w.post(w.keyFor(domain.KeyInput{Name: fmt.Sprint("other", len(w.entryTypes())), Roles: []string{"executor"}}), call("pay", `{"amount":999}`))
	}
	for _, tt := range []struct {
		name string
		by   domain.Ref
		want int
	}{
		{"who may read policies alone", w.user("reads", "reads"), 0},
		{"who may read the log too", w.user("audits", "reads", "executor"), 6},
		{"a key", mine, 3},
		{"the command line", domain.System, 6},
	} {
		if trial := w.try(tt.by, payments, 0); trial.Looked != tt.want || len(trial.Matches) != tt.want {
			t.Errorf("%s: %d, want %d", tt.name, trial.Looked, tt.want)
		}
	}
}

// A trial knows of a requester and a plan what posts know.
func TestTryPolicy_KnowsWhatPostsKnow(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.user("Kim", "executor")
	asker := w.keyFor(domain.KeyInput{Name: "asker", Roles: []string{"executor", "planner"}, Owner: "Kim"})
	w.context(domain.System, "ctx-1", "active")
	plan := w.plan(asker, "p-1")
	w.propose(asker, plan)
	for _, tt := range []struct {
		match, condition string
		want             string
	}{
		{`{"keys":["asker"],"roles":["planner"]}`, `requester.owner == 'Kim' && requester.name == 'asker' && 'executor' in requester.roles`, "true"},
		{`{"target_types":["plan"]}`, `plan.title == 'Fix the login' && plan.context_id == 'ctx-1' && plan.steps.exists(s, s.description == 'Pay')`, "true"},
		{`{"roles":["reviewer"]}`, "", "false"},
		{`{}`, `plan.title == 'Another'`, "false"},
		{`{}`, `now < timestamp('2027-01-01T00:00:00Z')`, "true"},
		{`{}`, `tool == 'pay'`, "tool is missing"},
	} {
		document := fmt.Sprintf(`{"v":1,"name":"A","effect":"require","match":%s,"condition":%q,"quorum":[{"role":"reviewer","approvals":1}]}`, tt.match, tt.condition)
		got := "false"
		trial := w.try(domain.System, document, 1)
		if len(trial.Matches) > 0 {
			if got = trial.Matches[0].Because; got == "" {
				got = "true"
			}
		}
		if got != tt.want {
			t.Errorf("%s %s: %s, want %s", tt.match, tt.condition, got, tt.want)
		}
		if trial.NeedsMore != 0 {
			t.Errorf("%s: one person needs another", tt.condition)
		}
	}
}

// A clock that moves on by half a second with each look leaves time for three requests.
func TestTryPolicy_StopsAfterTwoSeconds(t *testing.T) {
	t.Parallel()
	var w *world
	var isSlow bool
	w = newWorld(t, func(c *domain.Config) {
		now := c.Now
		c.Now = func() time.Time {
			if isSlow {
				w.pass(500 * time.Millisecond)
			}
			return now()
		}
	})
	asker := w.key("asker", "executor")
	for range 9 {
		w.post(asker, call("pay", `{"amount":999}`))
	}
	isSlow = true
	if trial := w.try(domain.System, payments, 0); !trial.IsCutOff || trial.Looked != 3 {
		t.Errorf("looked at %d, cut off %v", trial.Looked, trial.IsCutOff)
	}
}

// A request that somebody changed in the database is not tried.
func TestTryPolicy_LeavesOutWhatTheLogDoesNotProve(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	asker := w.key("asker", "executor")
	changed := w.post(asker, call("pay", `{"amount":999}`))
	kept := w.post(asker, call("pay", `{"amount":998}`))
	w.sql("DROP TRIGGER confirm_contents_fixed", fmt.Sprintf("UPDATE confirm_contents SET content = CAST(replace(content, '999', '998') AS BLOB) WHERE requested_seq = %d", changed.RequestedSeq))
	trial := w.try(domain.System, payments, 0)
	if len(trial.Matches) != 1 || trial.Matches[0].Row.ID != kept.ID || trial.Looked != 1 {
		t.Errorf("%+v", trial)
	}
}
