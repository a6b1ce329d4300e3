package web

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"countersign/domain"
	"countersign/domain/dag"
	"countersign/domain/evidence"
	"countersign/views"
)

func TestInboxFilterComesBackAsItWas(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name   string
		filter inboxFilter
		want   string
	}{
		{"plain", inboxFilter{}, "/confirms/c1"},
		{"searched", inboxFilter{Query: "a&b=c"}, "/confirms/c1?from=q%3Da%2526b%253Dc"},
		{"narrowed", inboxFilter{Mine: true, TargetType: "plan", Role: "coder"}, "/confirms/c1?from=mine%3D1%26role%3Dcoder%26target_type%3Dplan"},
		{"of a group", inboxFilter{Group: "user:u"}, "/confirms/c1?from=group%3Duser%253Au"},
		{"decided", inboxFilter{Decided: true}, "/confirms/c1?from=status%3Ddecided"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			got := tc.filter.confirmURL("c1")
			if got != tc.want {
				t.Fatalf("address %q, want %q", got, tc.want)
			}
			at, err := url.Parse(got)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.filter, parseFrom(at.Query().Get("from"))); diff != "" {
				t.Errorf("filter (-want +got):\n%s", diff)
			}
		})
	}
}

// A timeout never reads like a human "no".
func TestOutcomeWords(t *testing.T) {
	t.Parallel()
	agent := domain.Ref{Kind: domain.KindAgent, ID: "k"}
	for _, tc := range []struct {
		name string
		c    domain.Confirm
		d    *domain.Decision
		want string
	}{
		{"approved", domain.Confirm{Cause: domain.CauseHuman, ContentHash: "a", EffectiveHash: "a"}, &domain.Decision{}, ""},
		{"edited", domain.Confirm{Cause: domain.CauseHuman, ContentHash: "a", EffectiveHash: "b"}, &domain.Decision{}, "as edited"},
		{"changes requested", domain.Confirm{Cause: domain.CauseHuman}, &domain.Decision{Intent: domain.IntentRequestChanges}, "changes requested"},
		{"timeout", domain.Confirm{Cause: domain.CauseTimeout}, &domain.Decision{}, "nobody decided in time"},
		{"withdrawn", domain.Confirm{Cause: domain.CauseCancelled, RequestedBy: agent}, &domain.Decision{DecidedBy: agent}, "withdrawn by the requester"},
		{"cancelled", domain.Confirm{Cause: domain.CauseCancelled, RequestedBy: agent}, &domain.Decision{DecidedBy: domain.System}, "cancelled"},
		{"import", domain.Confirm{Imported: true, Status: domain.Pending, Cause: domain.CauseImport}, nil, "imported with decisions"},
		{"import with a status", domain.Confirm{Imported: true, Status: domain.Approved, Cause: domain.CauseImport}, nil, "imported as approved"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			if got := outcomeWords(&tc.c, tc.d); got != tc.want {
				t.Errorf("got %q, want %q", got, tc.want)
			}
		})
	}
}

func TestHistoryMarksSelfApproval(t *testing.T) {
	t.Parallel()
	reviewer := domain.Ref{Kind: domain.KindUser, ID: "r"}
	page := &confirmPage{ConfirmDetail: &domain.ConfirmDetail{
		Confirm: &domain.Confirm{RequestedGroup: "user:r"}, KeyCreator: "user:m",
		Decisions: []*domain.Decision{
			{Cause: domain.CauseHuman, DecidedBy: reviewer, DecidedByName: "reviewer"},
			{Cause: domain.CauseHuman, DecidedBy: domain.Ref{Kind: domain.KindUser, ID: "other"}},
			{Cause: domain.CauseTimeout, DecidedBy: domain.System, DecidedByName: "system"},
			{Cause: domain.CauseHuman, DecidedBy: domain.Ref{Kind: domain.KindUser, ID: "m"}},
		},
	}}
	history := newHistory(page)
	if history[0].Warning == "" || history[1].Warning != "" || history[2].Warning != "" {
		t.Errorf("warnings %q, %q, %q", history[0].Warning, history[1].Warning, history[2].Warning)
	}
	if !strings.Contains(history[3].Warning, "creator of the requesting key") {
		t.Errorf("of the maker: %q", history[3].Warning)
	}
	if history[0].By != "reviewer" || history[2].By != "" {
		t.Errorf("deciders %q and %q", history[0].By, history[2].By)
	}
}

func TestProblemsFindTheirFields(t *testing.T) {
	t.Parallel()
	names := map[string]string{"roles": "role", "name": "name"}
	for _, tc := range []struct {
		name string
		err  error
		want views.Errors
	}{
		{"no error", nil, nil},
		{"another refusal", &domain.Error{Code: domain.CodeNotFound}, nil},
		{"a fault", errors.New("disk"), nil},
		{"without fields", &domain.Error{Code: domain.CodeInvalid, Message: "No."}, views.Errors{"": "No."}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(tc.want, problems(tc.err, names)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestWrapKeepsEveryWord(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name, text string
		want       []string
	}{
		{"short", "Read the log", []string{"Read the log"}},
		{"two lines", "Deploy to staging and verify the login", []string{"Deploy to staging and", "verify the login"}},
		{"no room to break", strings.Repeat("ä", 30), []string{strings.Repeat("ä", 22), strings.Repeat("ä", 8)}},
		{"nothing", " ", []string{"(no visible text)"}},
		{"capitals", strings.Repeat("A", 30), []string{strings.Repeat("A", 14), strings.Repeat("A", 14), "AA"}},
		{"ideographs", strings.Repeat("支", 13), []string{strings.Repeat("支", 11), "支支"}},
		{"what a mark stands for", "read\u202e\u202e it", []string{"read\u202e\u202e", "it"}},
		{"marks alone", strings.Repeat("\u202e", 3), []string{"\u202e\u202e", "\u202e"}},
		{"a word that fills the line", "a " + strings.Repeat("b", 22), []string{"a", strings.Repeat("b", 22)}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(tc.want, wrap(tc.text)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
	long := wrap(strings.Repeat("word ", 200))
	if len(long) != boxLines || !strings.Contains(long[boxLines-1], "table") {
		t.Errorf("%d lines, the last %q", len(long), long[len(long)-1])
	}
}

func TestCurveIsStraightAtItsEnds(t *testing.T) {
	t.Parallel()
	route := []dag.Point{{X: 0, Y: 10}, {X: 40, Y: 10}, {X: 80, Y: 50}, {X: 120, Y: 50}}
	if got, want := (layout{}).curve(route), "M8 18L48 18C68 18 68 58 88 58L128 58"; got != want {
		t.Errorf("from left to right: path %q, want %q", got, want)
	}
	if got, want := (layout{turned: true}).curve(route), "M18 8L18 48C18 68 58 68 58 88L58 128"; got != want {
		t.Errorf("from top to bottom: path %q, want %q", got, want)
	}
}

func TestWidePlansAreDrawnDownwards(t *testing.T) {
	t.Parallel()
	box := dag.Node{W: boxWidth, H: boxHead}
	chain := func(n int) (g dag.Graph) {
		for i := range n {
			g.Nodes = append(g.Nodes, box)
			if i > 0 {
				g.Edges = append(g.Edges, [2]int{i - 1, i})
			}
		}
		return g
	}
	wide := dag.Graph{Nodes: []dag.Node{box}}
	for i := range 12 {
		wide.Nodes = append(wide.Nodes, box)
		wide.Edges = append(wide.Edges, [2]int{0, i + 1})
	}
	for _, tc := range []struct {
		name   string
		graph  dag.Graph
		turned bool
	}{
		{"nothing", dag.Graph{}, false},
		{"a chain that fits", chain(3), false},
		{"a chain that does not", chain(5), true},
		{"one before many", wide, false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			l, err := newLayout(tc.graph)
			if err != nil || l.turned != tc.turned {
				t.Fatalf("turned %t, error %v", l.turned, err)
			}
			width, _ := l.at(dag.Point{X: l.Width, Y: l.Height})
			if width > maxDrawingWidth+boxMargin {
				t.Errorf("it is %d wide", width)
			}
		})
	}
}

func TestConflictNamesTheWinner(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	refused := &domain.Error{Code: domain.CodeAlreadyDecided, Message: "The request was already rejected.", Decision: &domain.Outcome{
		Decision: &domain.Decision{DecidedByName: "reviewer", Status: domain.Rejected, DecidedAt: at},
	}}
	want := &views.Notice{Tone: views.ToneWarn, Title: "Already rejected",
		Detail: "reviewer rejected it before you, on 2 Jan 2026, 03:04:05 UTC. Your decision was not saved."}
	if diff := cmp.Diff(want, newConflict(refused)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// What is not proven is told apart, and never comes with a bundle or a
// signature beside it.
func TestEvidenceStates(t *testing.T) {
	t.Parallel()
	content := &evidence.Content{}
	for _, tc := range []struct {
		name    string
		proof   domain.Proof
		content *evidence.Content
		imports bool
		want    views.EvidenceState
	}{
		{"proven", domain.Proof{Proven: true, Size: 9}, content, false, views.EvidenceProven},
		{"forgotten", domain.Proof{Proven: true, Size: 9}, nil, false, views.EvidenceForgotten},
		{"import", domain.Proof{Proven: true, Size: 9}, content, true, views.EvidenceImport},
		{"another content than was logged", domain.Proof{Size: 9}, content, false, views.EvidenceAltered},
		{"no entry in the signed tree", domain.Proof{}, content, false, views.EvidenceUnproven},
		{"no entry for an import", domain.Proof{}, content, true, views.EvidenceUnproven},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			got := newConfirmEvidence(&confirmPage{
				ConfirmDetail: &domain.ConfirmDetail{Confirm: &domain.Confirm{ID: "c", Imported: tc.imports}, Content: tc.content},
				Reader:        &domain.Principal{}, Evidence: &confirmEvidence{&tc.proof, "signer"},
			})
			if got.State != tc.want {
				t.Errorf("state %q, want %q", got.State, tc.want)
			}
			if shown := got.BundleURL != "" || got.Signer != ""; shown != tc.proof.Proven {
				t.Errorf("a bundle or a signature is shown: %v", shown)
			}
		})
	}
}

func TestRestoreSaysWhatIsLost(t *testing.T) {
	t.Parallel()
	known := "countersign/old\n12\n" + evidence.Hash{}.String() + "\n\n— signature\n"
	for _, tc := range []struct {
		name, known, want string
	}{
		{"known", known, "At least 7 were lost."},
		{"head file missing", "", "We do not know how many were lost."},
		{"head file damaged", "x", "We do not know how many were lost."},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			h := handover{&evidence.Entry{Seq: 5}, evidence.KeyChange{Size: 5, LastKnown: tc.known}}
			if got := h.restore().Lost; got != tc.want {
				t.Errorf("got %q, want %q", got, tc.want)
			}
		})
	}
}

func TestKeysSayWhoVouchesForThem(t *testing.T) {
	t.Parallel()
	handed := map[string]handover{
		"b": {&evidence.Entry{Seq: 3}, evidence.KeyChange{OldVKey: "a", NewVKey: "b"}},
		"c": {&evidence.Entry{Seq: 8}, evidence.KeyChange{NewVKey: "c"}},
	}
	third, eighth := int64(3), int64(8)
	for _, tc := range []struct {
		name          string
		key           domain.SigningKey
		signed, trust string
	}{
		{"the only one", domain.SigningKey{VKey: "a"}, "signed every checkpoint", "the first key of this log"},
		{"the first", domain.SigningKey{VKey: "a", To: &third}, "signed up to 3 entries", "the first key of this log"},
		{"the second", domain.SigningKey{VKey: "b", From: 4, To: &eighth}, "signed from 4 to 8 entries", "the key before it vouches for this one"},
		{"after a loss", domain.SigningKey{VKey: "c", From: 9}, "signs from 9 entries on", "the key before it was lost, so nothing vouches for this one"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			got := newEvidenceKey(tc.key, handed)
			if got.Signed != tc.signed || got.Trust != tc.trust {
				t.Errorf("%q, %q; want %q, %q", got.Signed, got.Trust, tc.signed, tc.trust)
			}
		})
	}
}

// A receipt says what the agent may do now, and of what nobody decided that it
// was not refused.
func TestConsequence(t *testing.T) {
	t.Parallel()
	mixed := &domain.Decision{Actions: []domain.ActionDecision{{Type: domain.ActionApprove}, {Type: domain.ActionReject}}}
	for _, tc := range []struct {
		name string
		c    domain.Confirm
		d    *domain.Decision
		want string
	}{
		{"approved", domain.Confirm{Status: domain.Approved, ContentHash: "a", EffectiveHash: "a"}, &domain.Decision{}, "It may run exactly as shown."},
		{"edited", domain.Confirm{Status: domain.Approved, ContentHash: "a", EffectiveHash: "b"}, &domain.Decision{}, "It may run with the edited arguments only."},
		{"rejected", domain.Confirm{Status: domain.Rejected, Cause: domain.CauseHuman, Actions: 1}, &domain.Decision{}, "It may not run."},
		{"rejected in part", domain.Confirm{Status: domain.Rejected, Cause: domain.CauseHuman, Actions: 2}, mixed, "Only the approved actions may run."},
		{"rejected in part, of a step", domain.Confirm{Status: domain.Rejected, Cause: domain.CauseHuman, Actions: 2, Binding: domain.BoundStep}, mixed, "None of the actions may run."},
		{"timeout", domain.Confirm{Status: domain.Rejected, Cause: domain.CauseTimeout, Actions: 2}, mixed, "It may not run. The agent may ask again."},
		{"cancelled", domain.Confirm{Status: domain.Cancelled, Cause: domain.CauseCancelled}, &domain.Decision{}, "It may not run. The agent may ask again."},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			if got := consequence(&tc.c, tc.d); got != tc.want {
				t.Errorf("got %q, want %q", got, tc.want)
			}
		})
	}
}

// A page that refuses says what became of what was sent, and leads back to it.
func TestFailureSaysWhatBecameOfIt(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name, method, path string
		err                error
		after, back        string
	}{
		{"a page", http.MethodGet, "/confirms/c", &domain.Error{Code: domain.CodeNotFound}, "", "/confirms"},
		{"a refused decision", http.MethodPost, "/confirms/c%2F1/decision", &domain.Error{Code: domain.CodeLocked}, "Nothing was changed or decided", "/confirms/c%2F1"},
		{"a decision that may be kept", http.MethodPost, "/confirms/c/decision", &domain.Error{Code: domain.CodeEvidenceUnavailable}, "Go back and check", "/confirms/c"},
		{"a plan", http.MethodPost, "/plans/p/propose", &failure{status: http.StatusForbidden}, "Nothing was changed", "/plans/p"},
		{"another form", http.MethodPost, "/roles", &domain.Error{Code: domain.CodeInternal}, "Go back and check", "/confirms"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			view := newFailureView(tc.err, httptest.NewRequest(tc.method, tc.path, nil), "id")
			if view.BackURL != tc.back || !strings.Contains(view.After, tc.after) || (tc.after == "") != (view.After == "") {
				t.Errorf("leads back to %q and says %q", view.BackURL, view.After)
			}
		})
	}
}
