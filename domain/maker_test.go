package domain_test

import (
	"strings"
	"testing"

	"countersign/domain"
)

// make makes a key as somebody and gives who it is.
func (w *world) make(by domain.Ref, in domain.KeyInput) domain.Ref {
	w.t.Helper()
	k, _, err := w.CreateKey(w.ctx, by, in)
	if err != nil {
		w.t.Fatal(err)
	}
	return domain.Ref{Kind: domain.KindAgent, ID: k.ID}
}

// Who makes a key decides nothing that it asks for, whoever owns it.
func TestB5_MakersDoNotDecide(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name    string
		allowed bool // self-approval
		want    domain.Code
	}{{"as it should be", false, domain.CodeSelfApproval}, {"self-approval allowed", true, ""}} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, func(c *domain.Config) { c.AllowSelfApproval = tt.allowed })
			w.role("asker", "confirm.request")
			clerk, boss := w.user("clerk", w.role("clerk", "key.modify", "confirm.*")), w.user("boss", "admin")
			colleague := w.user("colleague", "reviewer")
			decider := w.keyFor(domain.KeyInput{Name: "decider", Roles: []string{"reviewer"}, Owner: "clerk", MayDecide: true})
			ghost := w.make(clerk, domain.KeyInput{Name: "ghost", Roles: []string{"asker"}})
			gift := w.make(boss, domain.KeyInput{Name: "gift", Roles: []string{"asker"}, Owner: "colleague"})
			given := w.key("given", "asker")
			for _, tt := range []struct {
				name          string
				asks, decides domain.Ref
				want          domain.Code
			}{
				{"the maker of a key without an owner", ghost, clerk, tt.want},
				{"the maker's key", ghost, decider, domain.CodeSelfApproval},
				{"somebody else", ghost, colleague, ""},
				{"the maker of another user's key", gift, boss, tt.want},
				{"its owner", gift, colleague, tt.want},
				{"somebody else, of that", gift, clerk, ""},
				{"a key of the command line", given, clerk, ""},
			} {
				c := w.post(tt.asks, toolCall)
				_, err := w.decide(tt.decides, c, domain.Approved)
				if got := domain.ErrorCode(err); got != tt.want {
					t.Errorf("%s: %q, want %q (%v)", tt.name, got, tt.want, err)
				}
				_, err = w.decide(tt.decides, w.post(tt.asks, toolCall), domain.Rejected)
				if got := domain.ErrorCode(err); got != tt.want {
					t.Errorf("%s, rejecting: %q, want %q (%v)", tt.name, got, tt.want, err)
				}
			}
			list, err := w.Entries(w.ctx, domain.System, domain.EntryFilter{Type: "confirm.approved", Limit: 100})
			if err != nil {
				t.Fatal(err)
			}
			marked := 0
			for _, e := range list {
				if strings.Contains(string(e.Data), `"self_approval":true`) {
					marked++
				}
			}
			if want := map[bool]int{true: 3}[tt.allowed]; marked != want {
				t.Errorf("%d approvals are marked as one's own, want %d", marked, want)
			}
		})
	}
}

// The log says who made a key, and whose request it is that they may not decide.
func TestB5_TheLogNamesTheMaker(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	boss := w.user("boss", "admin")
	w.make(boss, domain.KeyInput{Name: "made", Roles: []string{"executor"}})
	w.key("given", "executor")
	list, err := w.Entries(w.ctx, domain.System, domain.EntryFilter{Type: "key.created"})
	if err != nil || len(list) != 2 {
		t.Fatalf("%d entries, %v", len(list), err)
	}
	for i, want := range []string{`"made_by":"` + boss.String() + `"`, `"made_by":""`} {
		if !strings.Contains(string(list[i].Data), want) {
			t.Errorf("%s lacks %s", list[i].Data, want)
		}
	}
}

// A key of another user's asks in their place, so making one needs everything.
func TestB5_KeysOfOthersNeedEverything(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	clerk, boss := w.user("clerk", w.role("clerk", "key.modify", "confirm.*")), w.user("boss", "admin")
	w.user("colleague", "reviewer")
	for _, tt := range []struct {
		name  string
		by    domain.Ref
		owner string
		want  domain.Code
	}{
		{"of nobody's", clerk, "", ""},
		{"of one's own", clerk, "clerk", ""},
		{"of another's", clerk, "colleague", domain.CodeMissingCapability},
		{"of another's, by who may all", boss, "colleague", ""},
		{"of another's, on the command line", domain.System, "colleague", ""},
		{"of nobody there is", clerk, "nobody", domain.CodeInvalid},
	} {
		_, _, err := w.CreateKey(w.ctx, tt.by, domain.KeyInput{Name: tt.name, Roles: []string{w.role(tt.name, "confirm.request")}, Owner: tt.owner})
		w.wantCode(err, tt.want)
		if e := domain.AsError(err); tt.want == domain.CodeMissingCapability && e != nil && e.Capability != domain.Everything {
			t.Errorf("%s: %v names %q", tt.name, err, e.Capability)
		}
	}
}
