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

// A context is shown as it is: one that changed after it was asked about is not
// approved as it was then.
func TestT03_ChangedContextIsNotApproved(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	agent, reviewer := w.key("bot", w.role("editor", "context.modify")), w.user("reviewer", "reviewer")
	w.context(agent, "ctx-1", "active")
	ask := func(rest string) *domain.Confirm {
		return w.post(agent, `{"target_type":"context","target_id":"ctx-1"`+rest+`}`)
	}
	const two = `,"actions":[{"name":"context.update","args":{}},{"name":"context.close","args":{}}]`
	plain, mixed, rejected := ask(""), ask(two), ask("")
	in, err := mplp.ParseContext([]byte(`{"title":"Harmless","status":"active"}`), w.Limits().MPLP())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.UpdateContext(w.ctx, agent, "ctx-1", in); err != nil {
		t.Fatal(err)
	}
	_, err = w.decide(reviewer, plain, domain.Approved)
	w.wantCode(err, domain.CodeContentChanged)
	_, err = w.Decide(w.ctx, reviewer, mixed.ID, domain.DecisionInput{ContentHash: mixed.ContentHash,
		Actions: []mplp.ActionDecision{{Type: domain.ActionReject}, {Type: domain.ActionApprove}}})
	w.wantCode(err, domain.CodeContentChanged)
	detail, err := w.Confirm(w.ctx, reviewer, plain.ID)
	if err != nil {
		t.Fatal(err)
	}
	w.wantCode(detail.Rights.Approve, domain.CodeContentChanged)
	w.wantCode(detail.Rights.Reject, "")
	w.mustDecide(reviewer, rejected, domain.Rejected)
	w.mustDecide(reviewer, ask(two), domain.Approved)
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
		in, err := mplp.ParseApproval([]byte(`{"type":"approval_request","session_id":"s","actions":[{"name":"a","args":{}},{"name":"b","args":{}},{"name":"c","args":{}}]}`), w.Limits().MPLP())
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
