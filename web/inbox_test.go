package web_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"countersign/domain"
	"countersign/domain/mplp"
)

// Rows are drawn once for many readers, and each reader sees what is so now and
// theirs to see: others have no mark of what is the reviewer's to decide,
// strangers no row, what was decided is where decided ones are, and what was
// forgotten is nowhere.
func TestInboxRowsFollowTheirConfirms(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	reviewer, auditor, stranger := w.user("reviewer", "reviewer"), w.user("auditor", w.role("reading", "trace.read")), w.user("stranger", "planner")
	agent := w.asker()
	call := `{"target_type":"other","reason":"Buying brings it back","timeout":600,"actions":[{"name":"execute_trade","args":{"n":1}}]}`
	approved := w.post(agent, call)
	w.post(agent, call)
	shows := func(when string, b *browser, path string, words map[string]int) {
		t.Helper()
		for range 2 { // drawn, and as drawn before
			page := b.want(b.get(path), http.StatusOK)
			rows := page.doc(t).Find("#inbox-rows").Text()
			for word, times := range words {
				if got := strings.Count(rows, word); got != times {
					t.Errorf("%s: %q is there %d times, want %d, in\n%s", when, word, got, times, rows)
				}
			}
		}
	}
	shows("pending", reviewer, "/confirms", map[string]int{"Buying brings": 2, "Needs your decision": 0, "10 min left": 2, "just now": 2})
	shows("to an auditor", auditor, "/confirms", map[string]int{"Buying brings": 2, "Needs your decision": 0})
	shows("to a stranger", stranger, "/confirms", map[string]int{"Buying brings": 0, "execute_trade": 0})
	w.pass(9*time.Minute + 55*time.Second)
	shows("later", reviewer, "/confirms", map[string]int{"5 s left": 2, "9 min 55 s ago": 2, "just now": 0})

	in := domain.DecisionInput{ContentHash: approved.ContentHash, Reason: "Two are better", Actions: []mplp.ActionDecision{
		{Type: "edit", Name: "execute_trade", Args: []byte(`{"n":2}`)},
	}}
	if _, err := w.svc.Decide(w.ctx, reviewer.ref, approved.ID, in); err != nil {
		t.Fatal(err)
	}
	shows("decided", reviewer, "/confirms", map[string]int{"Buying brings": 1})
	shows("decided", auditor, "/confirms?status=decided", map[string]int{"Buying brings": 1, "as edited": 1, "took 9 min 55 s": 1})
	w.pass(time.Minute)
	shows("expired", reviewer, "/confirms", map[string]int{"Buying brings": 0})
	shows("expired", reviewer, "/confirms?status=decided", map[string]int{"Buying brings": 2, "nobody decided in time": 1, "as edited": 1})

	w.pass(5 * time.Minute)
	if n, err := w.svc.Prune(w.ctx, time.Minute); n != 2 || err != nil {
		t.Fatalf("%d forgotten, %v", n, err)
	}
	shows("forgotten", reviewer, "/confirms?status=decided", map[string]int{"Buying brings": 0, "execute_trade": 0, "nobody decided in time": 1, "as edited": 1})
}

// A row says what a confirm is about where that tells anybody anything: an id
// that the server made up does not, and stands on the confirm's page.
func TestInboxRow_NamesTheTarget(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	reviewer, agent := w.user("reviewer", "reviewer"), w.asker()
	const actions = `"actions":[{"name":"pay","args":{}}]}`
	made := w.post(agent, `{"target_type":"other",`+actions)
	named := w.post(agent, `{"target_type":"other","target_id":"invoice-77",`+actions)
	rows := reviewer.want(reviewer.get("/confirms"), http.StatusOK).doc(t)
	for id, want := range map[string]string{made.ID: "", named.ID: "invoice-77"} {
		if got := strings.TrimSpace(rows.Find("#row-" + id + " .row-target").Text()); got != want {
			t.Errorf("the row says %q, want %q", got, want)
		}
	}
	page := reviewer.want(reviewer.get("/confirms/"+made.ID), http.StatusOK).doc(t)
	if !strings.Contains(page.Find("main").Text(), made.TargetID) {
		t.Errorf("the confirm's page does not have the target %s", made.TargetID)
	}
}

func TestInboxListsWhatWaits(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b, agent := w.user("reviewer", "reviewer"), w.asker()
	w.post(agent, bare)
	c := w.post(agent, trade)
	w.post(agent, `{"target_type":"other","reason":"old","status":"approved","decisions":[{"decision_id":"d1","status":"approved","decided_by_role":"boss","decided_at":"2025-01-01T00:00:00Z"}]}`)
	doc := b.want(b.get("/confirms"), http.StatusOK).doc(t)
	if got := doc.Find(".row").Length(); got != 2 {
		t.Errorf("%d rows, want the pending ones without the import", got)
	}
	if got := doc.Find(".row").First().AttrOr("id", ""); got != "row-"+c.ID {
		t.Errorf("first is %s, want the one with the soonest deadline", got)
	}
	if got := doc.Find(".row").First().Find(".tool").Text(); strings.TrimSpace(got) != "execute_trade" {
		t.Errorf("tool %q", got)
	}
	b.want(b.decide(c, "decision", "approve"), http.StatusSeeOther)
	if got := b.get("/confirms?status=decided").doc(t).Find(".row").Length(); got != 2 {
		t.Errorf("%d decided rows, want the decided one and the import", got)
	}
}

func TestInboxGoesOnPageByPage(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b, agent := w.user("reviewer", "reviewer"), w.asker()
	for range domain.DefaultPage + 1 {
		w.post(agent, trade)
	}
	first := b.want(b.get("/confirms?q=execute"), http.StatusOK).doc(t)
	next := first.Find("a[rel=next]").AttrOr("href", "")
	second := b.want(b.get(next), http.StatusOK).doc(t)
	if got := second.Find(".row").Length(); got != 1 {
		t.Errorf("%d rows on the second page at %q", got, next)
	}
	b.want(b.get("/confirms?cursor=garbage"), http.StatusUnprocessableEntity)
}

// What everybody in the list has needs no badge.
func TestInboxRow_MarksWhatTheReaderMayDecideAmongOthers(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	reviewer, agent := w.user("reviewer", "reviewer"), w.asker()
	mine := w.post(agent, trade)
	badges := func() (ids []string) {
		for _, row := range reviewer.want(reviewer.get("/confirms"), http.StatusOK).doc(t).Find("#inbox-rows .row").EachIter() {
			if strings.Contains(row.Text(), "Needs your decision") {
				ids = append(ids, row.AttrOr("id", ""))
			}
		}
		return ids
	}
	if got := badges(); len(got) > 0 {
		t.Errorf("marked among its like: %v", got)
	}
	w.post(agent, `{"target_type":"other","required_role":"architect","actions":[{"name":"pay","args":{}}]}`)
	if got := badges(); len(got) != 1 || got[0] != "row-"+mine.ID {
		t.Errorf("marked are %v, want only %s", got, mine.ID)
	}
}

func TestInboxRow_ShowsTheValuesThatMatter(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	reviewer, agent := w.user("reviewer", "reviewer"), w.asker()
	c := w.post(agent, `{"target_type":"other","actions":[{"name":"pay","args":{"note":"as agreed","account":"4021887631","amount":4870.50,"currency":"EUR"}}]}`)
	row := reviewer.want(reviewer.get("/confirms"), http.StatusOK).doc(t).Find("#row-" + c.ID)
	if got := words(row.Find(".row-values > span")); strings.Join(got, ", ") != "amount 4870.50 EUR, account 4021887631, note as agreed" {
		t.Errorf("the row has the values %q", got)
	}
}

// A large request costs the inbox no more than a small one.
func TestInboxRow_OfALargeRequestHasNoValues(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	reviewer, agent := w.user("reviewer", "reviewer"), w.asker()
	c := w.post(agent, `{"target_type":"other","reason":"Send it","actions":[{"name":"send","args":{"amount":5,"text":"`+strings.Repeat("x", domain.MaxBriefContent)+`"}}]}`)
	row := reviewer.want(reviewer.get("/confirms"), http.StatusOK).doc(t).Find("#row-" + c.ID)
	if row.Find(".row-values").Length() != 0 || !strings.Contains(row.Text(), "Send it") {
		t.Errorf("the row is %q", row.Text())
	}
}
