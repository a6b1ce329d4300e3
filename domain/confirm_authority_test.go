package domain_test

import (
	"strings"
	"testing"

	"countersign/domain"
	"countersign/domain/mplp"
)

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
