package domain_test

import (
	"strings"
	"sync"
	"testing"
	"time"

	"countersign/domain"
	"countersign/domain/evidence"
	"countersign/domain/mplp"
)

func TestC25_SecondDecisionOnFinalConfirmIsRefused(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	agent, reviewer, other := w.key("bot", "executor"), w.user("reviewer", "reviewer"), w.user("other", "reviewer")
	c := w.post(agent, toolCall)
	w.mustDecide(reviewer, c, domain.Approved)
	before := len(w.entryTypes())

	_, err := w.decide(other, c, domain.Rejected)
	w.wantCode(err, domain.CodeAlreadyDecided)
	winner := domain.AsError(err).Decision
	if winner == nil || winner.Decision.Status != domain.Approved || winner.Decision.DecidedByName != "reviewer" {
		t.Errorf("the loser is told %+v, want the winner's approval", winner)
	}
	if got := w.outcome(c.ID); got.Confirm.Status != domain.Approved {
		t.Errorf("status %s after the refused decision", got.Confirm.Status)
	}
	if after := len(w.entryTypes()); after != before {
		t.Errorf("the refused decision left %d entries", after-before)
	}
}

func TestC26_OnlyThreeEdgesLeavePending(t *testing.T) {
	t.Parallel()
	for _, first := range []domain.Status{domain.Approved, domain.Rejected, domain.Cancelled} {
		for _, second := range []domain.Status{domain.Approved, domain.Rejected, domain.Cancelled} {
			t.Run(string(first)+" then "+string(second), func(t *testing.T) {
				t.Parallel()
				w := newWorld(t)
				agent, reviewer := w.key("bot", "executor"), w.user("reviewer", "reviewer")
				c := w.post(agent, toolCall)
				move := func(to domain.Status) error {
					if to == domain.Cancelled {
						_, err := w.CancelConfirm(w.ctx, agent, c.ID, "no longer needed")
						return err
					}
					_, err := w.decide(reviewer, c, to)
					return err
				}
				if err := move(first); err != nil {
					t.Fatal(err)
				}
				w.wantCode(move(second), domain.CodeAlreadyDecided)
				if got := w.outcome(c.ID).Confirm.Status; got != first {
					t.Errorf("status %s, want %s", got, first)
				}
			})
		}
	}
}

func TestDecide_EightReviewersOneWinner(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	agent := w.key("bot", "executor")
	var reviewers []domain.Ref
	for _, name := range strings.Fields("r1 r2 r3 r4 r5 r6 r7 r8") {
		reviewers = append(reviewers, w.user(name, "reviewer"))
	}
	const confirms = 200
	for range confirms {
		c := w.post(agent, toolCall)
		var wg sync.WaitGroup
		errs := make([]error, len(reviewers))
		for i, reviewer := range reviewers {
			wg.Go(func() {
				_, errs[i] = w.decide(reviewer, c, []domain.Status{domain.Approved, domain.Rejected}[i%2])
			})
		}
		wg.Wait()
		final := w.outcome(c.ID)
		winners := 0
		for i, err := range errs {
			if err == nil {
				winners++
				if final.Decision.DecidedBy != reviewers[i] {
					t.Errorf("reviewer %d was told to have won, but %s did", i, final.Decision.DecidedByName)
				}
				continue
			}
			w.wantCode(err, domain.CodeAlreadyDecided)
			if told := domain.AsError(err).Decision; told == nil || told.Decision.ID != final.Decision.ID {
				t.Errorf("reviewer %d was not told the winner", i)
			}
		}
		if winners != 1 {
			t.Fatalf("%d winners", winners)
		}
	}
}

func TestA11_DeadlineIsTheShortestTimeoutGiven(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	agent := w.key("bot", "executor", "planner")
	for _, tt := range []struct {
		name, body string
		want       time.Duration
	}{
		{"actions default", toolCall, 300 * time.Second},
		{"own timeout", `{"target_type":"other","timeout":60,"actions":[{"name":"x","args":{}}]}`, time.Minute},
		{"shortest wins", `{"target_type":"other","timeout":60,"actions":[{"name":"x","args":{}}],"review_configs":[{"timeout":10}]}`, 10 * time.Second},
		{"no actions, none", `{"target_type":"plan","target_id":"p-1"}`, 0},
		{"no actions, asked for", `{"target_type":"plan","target_id":"p-1","timeout":30}`, 30 * time.Second},
	} {
		c := w.post(agent, tt.body)
		got := time.Duration(0)
		if !c.ExpiresAt.IsZero() {
			got = c.ExpiresAt.Sub(c.ReceivedAt)
		}
		if got != tt.want {
			t.Errorf("%s: expires after %v, want %v", tt.name, got, tt.want)
		}
	}
}

func TestA19_ApprovalAtTheDeadlineLoses(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	agent, reviewer := w.key("bot", "executor"), w.user("reviewer", "reviewer")
	for _, tt := range []struct {
		name    string
		after   time.Duration
		expired bool
	}{
		{"a millisecond before", 300*time.Second - time.Millisecond, false},
		{"at the deadline", 300 * time.Second, true},
		{"long after", time.Hour, true},
	} {
		c := w.post(agent, twoCalls)
		w.pass(tt.after)
		_, err := w.decide(reviewer, c, domain.Approved)
		final := w.outcome(c.ID)
		if !tt.expired {
			if err != nil || final.Confirm.Status != domain.Approved {
				t.Errorf("%s: %v, %s", tt.name, err, final.Confirm.Status)
			}
			continue
		}
		w.wantCode(err, domain.CodeExpired)
		told := domain.AsError(err).Decision
		if told == nil || told.Decision.Cause != domain.CauseTimeout || told.Decision.DecidedByRole != "system" {
			t.Fatalf("%s: told %+v, want the timeout", tt.name, told)
		}
		if final.Confirm.Status != domain.Rejected || len(final.Decision.Actions) != 2 || final.Decision.Actions[1].Type != domain.ActionReject {
			t.Errorf("%s: %s %+v, want every action rejected", tt.name, final.Confirm.Status, final.Decision.Actions)
		}
		if !strings.Contains(final.Text, "not a refusal") {
			t.Errorf("%s: a timeout reads %q", tt.name, final.Text)
		}
	}
}

func TestOutcome_ReadSettlesAnExpiry(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	agent := w.key("bot", "executor")
	c := w.post(agent, toolCall)
	w.pass(300 * time.Second)
	o, err := w.Outcome(w.ctx, agent, c.ID, 0)
	if err != nil || o.Confirm.Status != domain.Rejected || o.Confirm.Cause != domain.CauseTimeout {
		t.Fatalf("%+v %v, want a timeout", o, err)
	}
	list, _, err := w.Confirms(w.ctx, agent, domain.ConfirmFilter{Status: domain.Pending}, domain.Page{})
	if err != nil || len(list) != 0 {
		t.Errorf("%d pending, %v", len(list), err)
	}
}

func TestOutcome_WaitEndsWithTheDecision(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	agent, reviewer := w.key("bot", "executor"), w.user("reviewer", "reviewer")
	c := w.post(agent, toolCall)
	result := make(chan *domain.Outcome)
	go func() {
		o, err := w.Outcome(w.ctx, agent, c.ID, domain.MaxWait)
		if err != nil {
			t.Error(err)
		}
		result <- o
	}()
	w.mustDecide(reviewer, c, domain.Approved)
	if o := <-result; o.Confirm.Status != domain.Approved {
		t.Errorf("the wait ended with %s", o.Confirm.Status)
	}
}

func TestOutcome_WaitEndsWithTheServer(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	agent := w.key("bot", "executor")
	c := w.post(agent, toolCall)
	w.feed.Close()
	o, err := w.Outcome(w.ctx, agent, c.ID, domain.MaxWait)
	if err != nil || o.Confirm.Status != domain.Pending {
		t.Errorf("%+v %v, want pending", o, err)
	}
}

func TestDecide_NobodyDecidesTheirOwn(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	boss, other := w.user("boss", "reviewer", "human_user"), w.user("other", "reviewer")
	owned := w.keyFor(domain.KeyInput{Name: "owned", Roles: []string{"executor"}, Owner: "boss"})
	decider := w.keyFor(domain.KeyInput{Name: "decider", Roles: []string{"reviewer"}, Owner: "boss", MayDecide: true})
	free := w.key("free", "executor")
	mute := w.keyFor(domain.KeyInput{Name: "mute", Roles: []string{"reviewer"}, Owner: "other"})

	for _, tt := range []struct {
		name             string
		asks, decides    domain.Ref
		want             domain.Code
		wantCapabilities domain.Capability
	}{
		{"own key's request", owned, boss, domain.CodeSelfApproval, ""},
		{"own key decides own key's", owned, decider, domain.CodeSelfApproval, ""},
		{"another user's key", owned, other, "", ""},
		{"a key without owner", free, boss, "", ""},
		{"an authorized agent decides for a free key", free, decider, "", ""},
		{"a key that may not decide does not even see it", free, mute, domain.CodeNotFound, ""},
		{"one's own proposal", boss, boss, domain.CodeSelfApproval, ""},
	} {
		body := toolCall
		if tt.asks == boss {
			body = `{"target_type":"plan","target_id":"p-9"}`
		}
		c := w.post(tt.asks, body)
		_, err := w.decide(tt.decides, c, domain.Approved)
		if got := domain.ErrorCode(err); got != tt.want {
			t.Errorf("%s: %q, want %q (%v)", tt.name, got, tt.want, err)
		}
	}
}

func TestDecide_SelfApprovalIsMarked(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(c *domain.Config) { c.AllowSelfApproval = true })
	boss := w.user("boss", "human_user")
	decider := w.keyFor(domain.KeyInput{Name: "decider", Roles: []string{"reviewer"}, Owner: "boss", MayDecide: true})
	c := w.post(boss, `{"target_type":"plan","target_id":"p-9"}`)
	_, err := w.decide(decider, c, domain.Approved)
	w.wantCode(err, domain.CodeSelfApproval) // never a key

	w.mustDecide(boss, c, domain.Approved)
	list, err := w.Entries(w.ctx, domain.System, domain.EntryFilter{ConfirmID: c.ID, Type: "confirm.approved", Limit: 10})
	if err != nil || len(list) != 1 || !strings.Contains(string(list[0].Data), `"self_approval":true`) {
		t.Errorf("%v %v: the log does not mark it", list, err)
	}
}

func TestR9_DecidingNeedsItsCapability(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	agent := w.key("bot", "executor")
	approver, rejecter := w.user("approver", "human_user"), w.user("rejecter", w.role("rejecter", "confirm.reject"))
	for _, tt := range []struct {
		name    string
		by      domain.Ref
		actions []string
		want    domain.Capability
	}{
		{"R-9d approve with it", approver, []string{"approve", "approve"}, ""},
		{"R-16d reject without it", approver, []string{"reject", "reject"}, domain.ConfirmReject},
		{"mixed needs both", approver, []string{"approve", "reject"}, domain.ConfirmReject},
		{"R-9e reject with it", rejecter, []string{"reject", "reject"}, ""},
		{"approve without it", rejecter, []string{"approve", "approve"}, domain.ConfirmApprove},
	} {
		c := w.post(agent, twoCalls)
		in := domain.DecisionInput{ContentHash: c.ContentHash}
		for _, kind := range tt.actions {
			in.Actions = append(in.Actions, mplp.ActionDecision{Type: kind})
		}
		_, err := w.Decide(w.ctx, tt.by, c.ID, in)
		if tt.want == "" {
			if err != nil {
				t.Errorf("%s: %v", tt.name, err)
			}
			continue
		}
		w.wantCode(err, domain.CodeMissingCapability)
		if got := domain.AsError(err).Capability; got != tt.want {
			t.Errorf("%s: names %q, want %q", tt.name, got, tt.want)
		}
	}
}

func TestDecide_RequiredRoleMustDecide(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.role("finance-admin", "confirm.approve")
	agent := w.key("bot", "executor")
	reviewer, finance := w.user("reviewer", "reviewer"), w.user("finance", "reviewer", "finance-admin")
	c := w.post(agent, `{"target_type":"other","required_role":"finance-admin","actions":[{"name":"wire","args":{}}]}`)
	_, err := w.decide(reviewer, c, domain.Approved)
	w.wantCode(err, domain.CodeRoleNotHeld)
	if o := w.mustDecide(finance, c, domain.Approved); o.Decision.DecidedByRole != "finance-admin" {
		t.Errorf("decided as %s", o.Decision.DecidedByRole)
	}
	_, err = w.tryPost(agent, `{"target_type":"other","required_role":"nobody","actions":[{"name":"wire","args":{}}]}`)
	w.wantCode(err, domain.CodeInvalid)
}

func TestDecide_ActsInTheLeastCapableRole(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	agent := w.key("bot", "executor")
	both := w.user("both", "admin", "reviewer")
	if o := w.mustDecide(both, w.post(agent, toolCall), domain.Approved); o.Decision.DecidedByRole != "reviewer" {
		t.Errorf("decided as %s", o.Decision.DecidedByRole)
	}
	c := w.post(agent, toolCall)
	o, err := w.Decide(w.ctx, both, c.ID, domain.DecisionInput{Status: domain.Approved, ContentHash: c.ContentHash, DecidedByRole: "admin"})
	if err != nil || o.Decision.DecidedByRole != "admin" {
		t.Errorf("%+v %v, want the chosen role", o, err)
	}
	c = w.post(agent, toolCall)
	for _, role := range []string{"planner", "nobody"} {
		_, err = w.Decide(w.ctx, both, c.ID, domain.DecisionInput{Status: domain.Approved, ContentHash: c.ContentHash, DecidedByRole: role})
		w.wantCode(err, domain.CodeRoleNotHeld)
	}
}

func TestDecide_NamesTheContentItSaw(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	agent, reviewer := w.key("bot", "executor"), w.user("reviewer", "reviewer")
	c, other := w.post(agent, toolCall), w.post(agent, toolCall)
	if c.ContentHash == other.ContentHash {
		t.Fatal("two confirms share a content hash")
	}
	for _, tt := range []struct {
		name, hash string
		want       domain.Code
	}{
		{"none", "", domain.CodeInvalid},
		{"malformed", "sha256:12", domain.CodeInvalid},
		{"another's", other.ContentHash, domain.CodeContentChanged},
	} {
		_, err := w.Decide(w.ctx, reviewer, c.ID, domain.DecisionInput{Status: domain.Approved, ContentHash: tt.hash})
		if got := domain.ErrorCode(err); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
	detail, err := w.Confirm(w.ctx, reviewer, c.ID)
	if err != nil {
		t.Fatal(err)
	}
	if got := evidence.ContentHash(detail.Stored.Salt, detail.Stored.Content); got != c.ContentHash {
		t.Errorf("the stored content hashes to %s, not %s", got, c.ContentHash)
	}
}

func TestA14_EditKeepsBothArgumentsAndHashes(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	agent, reviewer := w.key("bot", "executor"), w.user("reviewer", "reviewer")
	c := w.post(agent, toolCall)
	edit := func(name, args string) error {
		_, err := w.Decide(w.ctx, reviewer, c.ID, domain.DecisionInput{ContentHash: c.ContentHash,
			Actions: []mplp.ActionDecision{{Type: "edit", Name: name, Args: []byte(args)}}})
		return err
	}
	w.wantCode(edit("delete_everything", `{}`), domain.CodeInvalid) // an edit keeps the tool
	args := `{"symbol":"VNM","quantity":50}`
	if err := edit("execute_trade", args); err != nil {
		t.Fatal(err)
	}
	o := w.outcome(c.ID)
	if o.Confirm.Status != domain.Approved || string(o.Decision.Actions[0].Args) != args {
		t.Errorf("%s with %s", o.Confirm.Status, o.Decision.Actions[0].Args)
	}
	if o.Decision.Actions[0].ArgsHash != evidence.ArgsHash([]byte(args)) || o.Confirm.EffectiveHash == c.ContentHash {
		t.Error("the hashes do not name what was approved")
	}
	detail, err := w.Confirm(w.ctx, agent, c.ID)
	if err != nil || string(detail.Content.Actions[0].Args) != `{"symbol":"VNM","quantity":100}` {
		t.Errorf("the original is gone: %s, %v", detail.Content.Actions[0].Args, err)
	}
}

func TestA17_MissingDecisionsAreFilledWithTheFirst(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	agent, reviewer := w.key("bot", "executor"), w.user("reviewer", "reviewer")
	ask := func() string {
		in, err := mplp.ParseApproval([]byte(`{"type":"approval_request","session_id":"s","actions":[{"name":"a","args":{}},{"name":"b","args":{}},{"name":"c","args":{}}]}`), w.Limits().Wire())
		if err != nil {
			t.Fatal(err)
		}
		posted, err := w.PostApproval(w.ctx, agent, in)
		if err != nil {
			t.Fatal(err)
		}
		return posted.Confirm.ApprovalKey
	}
	decide := func(key string, decisions ...mplp.ActionDecision) (*domain.Outcome, error) {
		return w.DecideApproval(w.ctx, reviewer, key, &mplp.ApprovalCommand{Decisions: decisions})
	}
	reject, approve := mplp.ActionDecision{Type: "reject"}, mplp.ActionDecision{Type: "approve"}

	o, err := decide(ask(), reject)
	if err != nil || len(o.Decision.Actions) != 3 || o.Decision.Actions[0].Filled || !o.Decision.Actions[2].Filled || o.Decision.Actions[2].Type != "reject" {
		t.Errorf("%+v %v, want three rejects, two of them filled", o, err)
	}
	key := ask()
	for name, sent := range map[string][]mplp.ActionDecision{
		"an edit":  {{Type: "edit", Name: "a", Args: []byte(`{}`)}},
		"too many": {approve, approve, approve, approve},
		"none":     {},
	} {
		_, err := decide(key, sent...)
		if domain.ErrorCode(err) != domain.CodeInvalid {
			t.Errorf("%s: %v, want it refused", name, err)
		}
	}
	if key != "s_2" {
		t.Errorf("the second key of session s is %s", key)
	}
}

func TestDecide_AllowedDecisionsAreKept(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	agent, reviewer := w.key("bot", "executor"), w.user("reviewer", "reviewer")
	c := w.post(agent, `{"target_type":"other","actions":[{"name":"x","args":{}}],"review_configs":[{"allowed_decisions":["edit"]}]}`)
	_, err := w.decide(reviewer, c, domain.Approved)
	w.wantCode(err, domain.CodeInvalid)
	w.mustDecide(reviewer, c, domain.Rejected) // always allowed
}

func TestC16_LockedConfirmIsOnlyCancelledOrExpires(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	agent, reviewer := w.key("bot", "executor"), w.user("reviewer", "reviewer")
	const locked = `{"target_type":"other","governance":{"locked":true},"actions":[{"name":"x","args":{}}]}`
	c := w.post(agent, locked)
	_, err := w.decide(reviewer, c, domain.Approved)
	w.wantCode(err, domain.CodeLocked)
	if _, err := w.CancelConfirm(w.ctx, agent, c.ID, ""); err != nil {
		t.Error(err)
	}
	c = w.post(agent, locked)
	w.pass(300 * time.Second)
	if got := w.outcome(c.ID).Confirm.Cause; got != domain.CauseTimeout {
		t.Errorf("cause %q, want timeout", got)
	}
}

func TestImports_ProveNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	agent, reviewer := w.key("bot", "planner", "executor"), w.user("reviewer", "reviewer")
	plan := w.plan(agent, "p-1")
	if _, err := w.ProposePlan(w.ctx, agent, plan, domain.ProposeInput{}); err != nil {
		t.Fatal(err)
	}
	c := w.post(agent, `{"target_type":"plan","target_id":"p-1","status":"approved","decisions":[{"status":"approved","decided_by_role":"reviewer"}]}`)
	if !c.Imported || w.planStatus(plan) != domain.PlanProposed {
		t.Errorf("imported %v, plan %s", c.Imported, w.planStatus(plan))
	}
	_, err := w.decide(reviewer, c, domain.Rejected)
	w.wantCode(err, domain.CodeInvalidTransition)
	_, err = w.CancelConfirm(w.ctx, agent, c.ID, "")
	w.wantCode(err, domain.CodeInvalidTransition)
	list, _, err := w.Confirms(w.ctx, reviewer, domain.ConfirmFilter{Status: domain.Pending}, domain.Page{})
	if err != nil || len(list) != 1 {
		t.Errorf("the inbox has %d, want the proposal alone (%v)", len(list), err)
	}
}

func TestPost_SameConfirmAgainChangesNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	agent := w.key("bot", "executor")
	stranger := w.keyFor(domain.KeyInput{Name: "stranger", Roles: []string{"executor"}, Owner: func() string { w.user("someone", "reviewer"); return "someone" }()})
	const body = `{"confirm_id":"c-1","target_type":"other","actions":[{"name":"x","args":{"a":1}}]}`
	first, err := w.tryPost(agent, body)
	if err != nil || !first.Created {
		t.Fatal(err)
	}
	before := len(w.entryTypes())
	again, err := w.tryPost(agent, strings.ReplaceAll(body, ",", " , "))
	if err != nil || again.Created || again.Confirm.ContentHash != first.Confirm.ContentHash {
		t.Errorf("%+v %v, want the first", again, err)
	}
	_, err = w.tryPost(agent, strings.Replace(body, "1}", "2}", 1))
	w.wantCode(err, domain.CodeIDTaken)
	_, err = w.tryPost(stranger, body)
	w.wantCode(err, domain.CodeIDTaken)
	if after := len(w.entryTypes()); after != before {
		t.Errorf("%d entries more", after-before)
	}
}

func TestPost_RequestingRoleMustBeHeld(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	agent := w.key("bot", "coder", "executor")
	if got := w.post(agent, toolCall).RequestedByRole; got != "coder" {
		t.Errorf("default role %s, want the first that allows it", got)
	}
	_, err := w.tryPost(agent, `{"target_type":"plan","target_id":"p","requested_by_role":"planner"}`)
	w.wantCode(err, domain.CodeRoleNotHeld)
	c := w.post(agent, `{"target_type":"plan","target_id":"p","requested_by_role":"executor-agent"}`)
	if c.RoleRegistered || c.RequestedByRole != "executor-agent" {
		t.Errorf("%+v, want an unregistered label", c)
	}
}

func TestVisibility_KeysSeeTheirGroupAndWhatTheyMayDecide(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.user("owner", "reviewer")
	mine := w.key("mine", "executor")
	sibling := w.key("sibling", "executor")
	foreign := w.keyFor(domain.KeyInput{Name: "foreign", Roles: []string{"executor"}, Owner: "owner"})
	decider := w.keyFor(domain.KeyInput{Name: "decider", Roles: []string{"reviewer"}, Owner: "owner", MayDecide: true})
	c := w.post(mine, toolCall)
	for name, tt := range map[string]struct {
		who  domain.Ref
		sees bool
	}{"itself": {mine, true}, "its group": {sibling, true}, "another group": {foreign, false}, "a decider": {decider, true}} {
		_, err := w.Confirm(w.ctx, tt.who, c.ID)
		if (err == nil) != tt.sees {
			t.Errorf("%s: %v", name, err)
		}
		list, _, err := w.Confirms(w.ctx, tt.who, domain.ConfirmFilter{}, domain.Page{})
		if err != nil || (len(list) == 1) != tt.sees {
			t.Errorf("%s: lists %d (%v)", name, len(list), err)
		}
	}
}

func TestPost_IDsAreUniqueInCanonicalFormToo(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	agent := w.key("bot", "executor")
	const uuid = "3f1b2c4d-5e6f-4a7b-8c9d-0e1f2a3b4c5d"
	w.post(agent, `{"confirm_id":"`+uuid+`","target_type":"other","actions":[{"name":"x","args":{}}]}`)
	for _, id := range []string{strings.ToUpper(uuid), "confirm-" + uuid} {
		_, err := w.tryPost(agent, `{"confirm_id":"`+id+`","target_type":"other","actions":[{"name":"x","args":{}}]}`)
		w.wantCode(err, domain.CodeIDTaken)
	}
}

// The clock makes a timeout known at once: a waiting agent is told within its
// request, without looking again.
func TestRunClock_WakesWaitingAgents(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	agent := w.key("bot", "executor")
	c := w.post(agent, toolCall)
	sub := w.feed.Subscribe()
	defer sub.Close()
	w.pass(300 * time.Second)
	ended := make(chan error)
	go func() { ended <- w.RunClock(w.ctx) }()
	for e := range sub.Entries() {
		if e.ConfirmID == c.ID && e.Type == "confirm.rejected" {
			break
		}
	}
	w.feed.Close()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}
