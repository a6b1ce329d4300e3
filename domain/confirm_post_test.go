package domain_test

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"countersign/domain"
	"countersign/domain/mplp"
)

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

// twice runs every transaction a second time, later, as if the first had been
// undone.
type twice struct{ *world }

func (s twice) View(ctx context.Context, fn func(domain.Reader) error) error {
	return s.db.View(ctx, fn)
}

func (s twice) Tx(ctx context.Context, fn func(domain.Tx) error) error {
	undone := errors.New("undone")
	err := s.db.Tx(ctx, func(tx domain.Tx) error { return cmp.Or(fn(tx), undone) })
	if !errors.Is(err, undone) {
		return err
	}
	s.pass(time.Minute)
	return s.db.Tx(ctx, fn)
}

// TestPost_IDOfAForgottenConfirmStaysTaken: there is nothing left to answer the
// same confirm with, and its id names it for ever.
func TestPost_IDOfAForgottenConfirmStaysTaken(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	agent, reviewer := w.worker(), w.user("reviewer", "reviewer")
	text := `{"confirm_id":"c-1",` + toolCall[1:]
	w.mustDecide(reviewer, w.post(agent, text), domain.Rejected)
	w.pass(2 * time.Hour)
	if n, err := w.Prune(w.ctx, time.Hour); n != 1 || err != nil {
		t.Fatalf("forgot %d, %v", n, err)
	}
	if _, err := w.tryPost(agent, text); domain.ErrorCode(err) != domain.CodeIDTaken {
		t.Errorf("posted again: %v", err)
	}
}

func TestPost_TransactionMayRunAgain(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	agent := w.key("bot", "planner", "executor")
	service := domain.NewService(twice{w}, domain.Config{Feed: w.feed, Now: w.now})
	for name, post := range map[string]func() (*domain.PostedConfirm, error){
		"confirm": func() (*domain.PostedConfirm, error) {
			in, err := mplp.ParseConfirm([]byte(toolCall), domain.DefaultLimits().MPLP())
			if err != nil {
				return nil, err
			}
			return service.PostConfirm(w.ctx, agent, in)
		},
		"approval without key": func() (*domain.PostedConfirm, error) {
			in, err := mplp.ParseApproval([]byte(`{"type":"approval_request","session_id":"s","actions":[{"name":"x","args":{}}]}`), domain.DefaultLimits().MPLP())
			if err != nil {
				return nil, err
			}
			return service.PostApproval(w.ctx, agent, in)
		},
	} {
		posted, err := post()
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if !posted.Confirm.ReceivedAt.Equal(w.now()) {
			t.Errorf("%s: received at %s, want %s", name, posted.Confirm.ReceivedAt, w.now())
		}
		stored, err := w.ConfirmJSON(w.ctx, agent, posted.Confirm.ID)
		if err != nil || !bytes.Equal(posted.Native, stored.Native) {
			t.Errorf("%s: posted %s, stored %s, %v", name, posted.Native, stored.Native, err)
		}
		if want := `"requested_at":"` + mplp.RenderTime(w.now()) + `"`; !bytes.Contains(posted.Native, []byte(want)) {
			t.Errorf("%s: %s, want %s", name, posted.Native, want)
		}
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
	w.user("ours", "reviewer")
	mine := w.keyFor(domain.KeyInput{Name: "mine", Roles: []string{"executor"}, Owner: "ours"})
	sibling := w.keyFor(domain.KeyInput{Name: "sibling", Roles: []string{"executor"}, Owner: "ours"})
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
