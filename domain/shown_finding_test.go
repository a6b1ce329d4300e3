package domain_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"countersign/domain"
	"countersign/domain/evidence"
	"countersign/domain/finding"
	"countersign/domain/mplp"
)

// entryOf is the entry of the decision on a confirm.
func (w *world) entryOf(c *domain.Confirm) *evidence.Entry {
	w.t.Helper()
	list, err := w.Entries(w.ctx, domain.System, domain.EntryFilter{ConfirmID: c.ID, Types: []string{"confirm.approved", "confirm.rejected"}, Limit: 10})
	if err != nil || len(list) != 1 {
		w.t.Fatalf("%d decisions are logged (%v), want 1", len(list), err)
	}
	return list[0]
}

func TestDecide_LogsTheFindingsThatWereShown(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	agent, reviewer := w.key("bot", "executor"), w.user("rea", "reviewer")
	decider := w.keyFor(domain.KeyInput{Name: "decider", Roles: []string{"reviewer"}, Owner: "rea", MayDecide: true})
	shown := func(f domain.ShownFinding) domain.ShownFinding {
		f.Kind, f.Level = "sum", finding.Look
		return f
	}
	for _, tt := range []struct {
		name        string
		by          domain.Ref
		shown, want []domain.ShownFinding
	}{
		{"one of an action, one of all", reviewer, []domain.ShownFinding{shown(domain.ShownFinding{Action: 1, Pointer: "/eur"}), shown(domain.ShownFinding{Action: -1})},
			[]domain.ShownFinding{shown(domain.ShownFinding{Action: 1, Pointer: "/eur"}), shown(domain.ShownFinding{Action: -1})}},
		{"none", reviewer, nil, nil},
		{"a key is shown none", decider, []domain.ShownFinding{shown(domain.ShownFinding{})}, nil},
		{"no such action", reviewer, []domain.ShownFinding{shown(domain.ShownFinding{Action: 2})}, nil},
		{"no such level", reviewer, []domain.ShownFinding{{Kind: "sum", Level: "safe"}}, nil},
	} {
		c := w.post(agent, twoCalls)
		if _, err := w.Decide(w.ctx, tt.by, c.ID, domain.DecisionInput{Status: domain.Approved, ContentHash: c.ContentHash, Findings: tt.shown}); err != nil {
			t.Fatal(err)
		}
		e := w.entryOf(c)
		salt := w.page(c).Stored.Salt
		for i := range tt.want {
			tt.want[i].Place, tt.want[i].Pointer = domain.PlaceDigest(salt, tt.want[i].Pointer), ""
		}
		if diff := cmp.Diff(tt.want, domain.ShownFindings(e)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
		if got := strings.Contains(string(e.Data), `"findings_version":1`); got != (tt.want != nil) || tt.want == nil && strings.Contains(string(e.Data), "findings") {
			t.Errorf("%s: %s", tt.name, e.Data)
		}
	}
	w.wantNoHistoryFindings()
}

// Agents follow the events of their requests. What a reviewer was shown is not among them.
func TestDecide_TellsAgentsNoFindings(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	agent, reviewer := w.key("bot", "executor"), w.user("rea", "reviewer")
	c := w.post(agent, toolCall)
	in := domain.DecisionInput{Status: domain.Approved, ContentHash: c.ContentHash, Findings: slices.Repeat([]domain.ShownFinding{{Kind: "sum", Level: "look", Pointer: "/quantity"}}, 60)}
	if _, err := w.Decide(w.ctx, reviewer, c.ID, in); err != nil {
		t.Fatal(err)
	}
	if e := w.entryOf(c); !strings.Contains(string(e.Data), `"more_findings"`) {
		t.Fatalf("not all are logged: %s", e.Data)
	}
	for _, event := range w.events(domain.EventFilter{}) {
		raw, err := event.MarshalJSON()
		if err != nil || strings.Contains(string(raw), "findings") {
			t.Errorf("an event tells: %s (%v)", raw, err)
		}
	}
}

// A place can be told from others while the content is kept, and by its salt alone.
func TestPlaceDigest(t *testing.T) {
	t.Parallel()
	seen := map[string]string{}
	for _, salt := range []string{"a", "b"} {
		for _, pointer := range []string{"/a", "/b", "/a/b"} {
			digest := domain.PlaceDigest([]byte(salt), pointer)
			if before := seen[digest]; before != "" || digest == "" {
				t.Errorf("%s %s is %q, as is %q", salt, pointer, digest, before)
			}
			seen[digest] = salt + pointer
		}
	}
	if digest := domain.PlaceDigest([]byte("a"), ""); digest != "" {
		t.Errorf("all arguments are %q, want no place", digest)
	}
}

// wantNoHistoryFindings fails if the log has what no honest server writes.
func (w *world) wantNoHistoryFindings() {
	w.t.Helper()
	list, err := w.Entries(w.ctx, domain.System, domain.EntryFilter{Limit: 10_000})
	if err != nil {
		w.t.Fatal(err)
	}
	history := domain.NewHistory()
	for _, e := range list {
		if wrong := history.Check(e); len(wrong) > 0 {
			w.t.Errorf("%s: %v", e.Type, wrong)
		}
	}
}

func TestShownFinding_DecisionOn(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	agent, reviewer := w.key("bot", "executor"), w.user("rea", "reviewer")
	c := w.post(agent, twoCalls)
	name := w.page(c).Content.Actions[1].Name
	in := domain.DecisionInput{ContentHash: c.ContentHash, Actions: []mplp.ActionDecision{{Type: "approve"}, {Type: "edit", Name: name, Args: []byte(`{"eur":2}`)}}}
	for i := range 3 {
		in.Findings = append(in.Findings, domain.ShownFinding{Kind: "sum", Level: finding.Stop, Action: i - 1})
	}
	if _, err := w.Decide(w.ctx, reviewer, c.ID, in); err != nil {
		t.Fatal(err)
	}
	var got []string
	e := w.entryOf(c)
	for _, f := range domain.ShownFindings(e) {
		got = append(got, f.DecisionOn(e))
	}
	if diff := cmp.Diff([]string{"approved", "approved", "edited"}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// page is the confirm as the system sees it.
func (w *world) page(c *domain.Confirm) *domain.ConfirmDetail {
	w.t.Helper()
	detail, err := w.Confirm(w.ctx, domain.System, c.ID)
	if err != nil {
		w.t.Fatal(err)
	}
	return detail
}
