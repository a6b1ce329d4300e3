package web_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"countersign/domain"
	"countersign/domain/evidence"
)

const imported = `{"target_type":"other","reason":"old","status":"approved","decisions":[{"decision_id":"d1","status":"approved","decided_by_role":"boss","decided_at":"2025-01-01T00:00:00Z"}]}`

func TestEvidencePageHasWhatAnAuditorNeeds(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	agent := w.asker()
	c, old := w.post(agent, trade), w.post(agent, imported)
	if _, err := w.svc.RotateKey(w.ctx); err != nil { // it ends sessions
		t.Fatal(err)
	}
	b := w.user("auditor", w.role("auditor", "trace.read"))
	page := b.want(b.get("/evidence"), http.StatusOK)
	doc := page.doc(t)
	if got := doc.Find(".sections a[aria-current=page]").AttrOr("href", ""); got != "/evidence" {
		t.Errorf("the section that is open is %q", got)
	}

	file := b.want(b.get(doc.Find("section[aria-labelledby=checkpoint] a").AttrOr("href", "")), http.StatusOK)
	if got := file.Header.Get("Content-Disposition"); got != "attachment; filename=checkpoint.txt" {
		t.Errorf("Content-Disposition %q", got)
	}
	vkey := strings.TrimSpace(doc.Find("#vkey").Text())
	checkpoint, err := evidence.OpenCheckpoint(file.text, vkey)
	if err != nil {
		t.Fatalf("the checkpoint does not verify with the key of the page: %v", err)
	}
	if doc.Find("#signed").Text() != file.text {
		t.Error("the page shows another checkpoint than the file has")
	}
	if got, _ := fact(doc, "Root"); got != checkpoint.Root.String() {
		t.Errorf("root %q, want %s", got, checkpoint.Root)
	}

	keys := words(doc.Find("section[aria-labelledby=evidence-keys] li"))
	if len(keys) != 2 || !strings.HasPrefix(keys[0], "Replaced") || !strings.Contains(keys[1], "the key before it vouches for this one") {
		t.Errorf("keys %q", keys)
	}
	if got := doc.Find("section[aria-labelledby=imports] tbody a[href='/confirms/" + old.ID + "']").Length(); got != 1 {
		t.Errorf("%d links to the import", got)
	}

	for _, path := range []string{"/evidence/confirms/" + c.ID, "/evidence/confirms?confirm_id=" + c.ID} {
		bundle := b.want(b.get(path), http.StatusOK)
		if got := bundle.Header.Get("Content-Disposition"); got != "attachment; filename=evidence-"+c.ID+".json" {
			t.Errorf("%s: Content-Disposition %q", path, got)
		}
		report, err := evidence.VerifyBundle([]byte(bundle.text), vkey, "", domain.NewPartialHistory().Check)
		if err != nil || !report.IsVerified() || report.Contents != 1 {
			t.Errorf("%s: %+v: %v", path, report, err)
		}
	}
	b.want(b.get("/evidence/confirms?confirm_id=none"), http.StatusNotFound)
	b.want(b.get("/evidence/confirms"), http.StatusNotFound)
}

// Each reader gets of the evidence what they may read.
func TestEvidenceIsForAuditorsAndRequesters(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	readers := map[string]*browser{
		"auditor": w.user("auditor", w.role("auditor", "trace.read")), "decider": w.user("decider", w.role("decider", "confirm.approve")),
		"owner": w.user("owner", w.role("owner", "plan.create")), "stranger": w.user("stranger", w.role("stranger", "plan.create")),
	}
	w.role("asker", "confirm.request")
	key, _, err := w.svc.CreateKey(w.ctx, domain.System, domain.KeyInput{Name: "own", Roles: []string{"asker"}, Owner: readers["owner"].ref.ID})
	if err != nil {
		t.Fatal(err)
	}
	c := w.post(domain.Ref{Kind: domain.KindAgent, ID: key.ID}, trade)
	for _, tc := range []struct {
		reader                      string
		page, file, bundle, confirm int
		cards, links                int
		signed, nav                 bool
	}{
		{"auditor", http.StatusOK, http.StatusOK, http.StatusOK, http.StatusOK, 1, 1, true, true},
		{"owner", http.StatusForbidden, http.StatusForbidden, http.StatusOK, http.StatusOK, 1, 1, false, false},
		{"decider", http.StatusForbidden, http.StatusForbidden, http.StatusForbidden, http.StatusOK, 0, 0, false, false},
		{"stranger", http.StatusForbidden, http.StatusForbidden, http.StatusNotFound, http.StatusNotFound, 0, 0, false, false},
	} {
		t.Run(tc.reader, func(t *testing.T) {
			b := readers[tc.reader].in(t)
			b.want(b.get("/evidence"), tc.page)
			b.want(b.get("/evidence/checkpoint.txt"), tc.file)
			b.want(b.get("/evidence/confirms/"+c.ID), tc.bundle)
			doc := b.want(b.get("/confirms/"+c.ID), tc.confirm).doc(t)
			card := doc.Find(".evidence")
			if card.Length() != tc.cards || card.Find("a[href='/evidence/confirms/"+c.ID+"']").Length() != tc.links {
				t.Errorf("%d cards: %q", card.Length(), card.Text())
			}
			if got := strings.Contains(card.Text(), "Signed by"); got != tc.signed {
				t.Errorf("the signer is named: %v", got)
			}
			if got := doc.Find(".sections a[href='/evidence']").Length() == 1; got != tc.nav {
				t.Errorf("the section is offered: %v", got)
			}
		})
	}
}

func TestConfirmSaysHowFarItIsProven(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b, agent := w.user("reviewer", "reviewer"), w.asker()
	c, old := w.post(agent, trade), w.post(agent, imported)
	says := func(c *domain.Confirm, state, sentence, entry string) {
		t.Helper()
		card := b.open(c).doc(t).Find(".evidence")
		if got := card.AttrOr("data-evidence", ""); got != state {
			t.Errorf("state %q, want %q", got, state)
		}
		if !strings.Contains(card.Text(), sentence) {
			t.Errorf("the card does not say %q: %s", sentence, card.Text())
		}
		path, id, _ := strings.Cut(card.Find(".facts a").AttrOr("href", ""), "#")
		if got := b.want(b.get(path), http.StatusOK).doc(t).Find("#" + id + " code").Text(); got != entry {
			t.Errorf("the entry that it links to is %q, want %q", got, entry)
		}
	}
	says(c, "proven", "what was requested here", "confirm.requested")
	says(old, "import", "does not prove that anybody decided it", "confirm.imported")
	b.want(b.decide(c, "decision", "approve"), http.StatusSeeOther)
	says(c, "proven", "what was decided here", "confirm.approved")

	refused := w.post(agent, trade) // what may still run is not forgotten
	b.want(b.decide(refused, "decision", "reject"), http.StatusSeeOther)
	w.pass(2 * time.Minute)
	if n, err := w.svc.Prune(w.ctx, time.Minute); err != nil || n == 0 {
		t.Fatalf("%d forgotten: %v", n, err)
	}
	says(refused, "forgotten", "Only an exported bundle still has its text", "confirm.rejected")
}

// From a confirm the reader comes to the command for its very bundle; what is no
// id of a confirm gets into no command.
func TestEvidencePage_NamesTheBundleOfTheConfirm(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b := w.user("reviewer", "reviewer")
	c := w.post(w.asker(), trade)
	about := b.open(c).doc(t).Find(".evidence a[href^='/evidence?']").AttrOr("href", "")
	path, fragment, _ := strings.Cut(about, "#")
	for _, tt := range []struct{ name, path, file string }{
		{"from a confirm", path, "--bundle evidence-" + c.ID + ".json "},
		{"from the sections", "/evidence", "--bundle evidence-ID.json "},
		{"from elsewhere", "/evidence?confirm_id=x%3B+rm+-rf+~", "--bundle evidence-ID.json "},
	} {
		doc := b.want(b.get(tt.path), http.StatusOK).doc(t)
		if got := doc.Find("#verify-bundle").Text(); !strings.Contains(got, tt.file) {
			t.Errorf("%s: the command is %q, want %q in it", tt.name, got, tt.file)
		}
		if doc.Find("#"+fragment).Length() != 1 {
			t.Errorf("%s: the page has no place %q", tt.name, fragment)
		}
	}
}
