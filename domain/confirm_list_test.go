package domain_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"countersign/domain"
	"countersign/domain/evidence"
)

// What a list marks as the reader's own to decide is what it can be narrowed
// to, and what deciding would not refuse.
func TestConfirms_MarkWhatTheReaderMayDecide(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name      string
		allowSelf bool
		roles     []string
		want      []string
	}{
		{"reviewer", false, []string{"reviewer"}, []string{"plain"}},
		{"reviewer with the role required", false, []string{"reviewer", "architect"}, []string{"for the architect", "plain"}},
		{"self-approval allowed", true, []string{"reviewer", "executor"}, []string{"made", "own", "plain"}},
		{"without the capability", true, []string{"executor"}, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, func(c *domain.Config) { c.AllowSelfApproval = tt.allowSelf })
			reader := w.user("reader", append(tt.roles, w.role("clerk", "key.modify", "plan.*"))...)
			agent := w.key("bot", "executor", w.role("asker", "confirm.request"))
			own := w.keyFor(domain.KeyInput{Name: "own", Roles: []string{"executor"}, Owner: "reader"})
			made := w.make(reader, domain.KeyInput{Name: "made", Roles: []string{w.role("planning", "plan.execute")}})
			call := `"target_type":"other","actions":[{"name":"run","args":{}}]`
			w.post(agent, `{`+call+`,"reason":"plain"}`)
			w.post(agent, `{`+call+`,"reason":"for the architect","required_role":"architect"}`)
			w.post(agent, `{`+call+`,"reason":"locked","governance":{"locked":true}}`)
			w.post(agent, `{`+call+`,"reason":"import","status":"approved"}`)
			w.post(own, `{`+call+`,"reason":"own"}`)
			w.post(made, `{`+call+`,"reason":"made"}`)
			list := func(mine bool) (marked []string) {
				inbox, err := w.Inbox(w.ctx, reader, domain.ConfirmFilter{Status: domain.Pending, Mine: mine}, domain.Page{})
				if err != nil {
					t.Fatal(err)
				}
				for _, row := range inbox.Rows {
					if row.Mine {
						marked = append(marked, row.Reason.Text)
					} else if mine {
						t.Errorf("%q is listed as the reader's and not marked so", row.Reason)
					}
				}
				slices.Sort(marked) // they expire at the same moment
				return marked
			}
			if diff := cmp.Diff(tt.want, list(false)); diff != "" {
				t.Errorf("marked (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(tt.want, list(true)); diff != "" {
				t.Errorf("narrowed (-want +got):\n%s", diff)
			}
		})
	}
}

func TestAllows_FollowsTheReviewConfig(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, config string
		want         []bool // approve, reject, edit
	}{
		{"none", "", []bool{true, true, true}},
		{"says nothing of decisions", `{"timeout":5}`, []bool{true, true, true}},
		{"null", `{"allowed_decisions":null}`, []bool{true, true, true}},
		{"approve only", `{"allowed_decisions":["approve"]}`, []bool{true, true, false}},
		{"edit only", `{"allowed_decisions":["edit"]}`, []bool{false, true, true}},
		{"nothing", `{"allowed_decisions":[]}`, []bool{false, true, false}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			action := &evidence.Action{ReviewConfig: []byte(tt.config)}
			got := []bool{domain.AcceptsDecision(action, "approve"), domain.AcceptsDecision(action, "reject"), domain.AcceptsDecision(action, "edit")}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("approve, reject, edit (-want +got):\n%s", diff)
			}
		})
	}
}
