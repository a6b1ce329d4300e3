package web_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"countersign/domain"
)

// found is a verification that found something, or nothing.
func (w *world) found(findings ...string) {
	v := domain.Verification{Ended: w.now(), Began: w.now(), Took: 1234 * time.Millisecond, Entries: 77, Next: w.now().Add(time.Hour), Findings: findings}
	if len(findings) > 0 {
		v.OmittedFindings = 2
	}
	w.svc.SetVerification(v)
}

// Whoever may read the log is told on every page what was found; who may decide,
// that they cannot now; nobody else.
func TestVerification_PagesSaySo(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	auditor, decider := w.user("auditor", w.role("auditor", "trace.read")), w.user("decider", w.role("decider", "confirm.approve", "confirm.reject"))
	other := w.user("other", w.role("other", "context.read"))
	c := w.post(w.asker(), trade)
	opened := decider.open(c)

	w.found("plans p: <b>changed</b>\u202e", "two", "three", "four")
	for _, tt := range []struct {
		reader *browser
		path   string
		want   string
	}{
		{auditor, "/confirms", "plans p: <b>changed</b>"},
		{auditor, "/account", "and 3 more"},
		{auditor, "/nowhere", "What to do"},
		{decider, "/confirms", "Tell an administrator"},
		{decider, "/confirms/" + c.ID, "Tell an administrator"},
		{other, "/account", ""},
	} {
		doc := tt.reader.get(tt.path).doc(t)
		alarm := doc.Find("#alarm")
		if got := alarm.Find("[role=alert].tone-bad").Length(); got != min(len(tt.want), 1) || !strings.Contains(alarm.Text(), tt.want) {
			t.Errorf("%s: %d alarms: %q, want %q", tt.path, got, alarm.Text(), tt.want)
		}
		if tt.reader != auditor && strings.Contains(doc.Text(), "changed</b>") {
			t.Errorf("%s has findings for who may not read the log", tt.path)
		}
		if strings.Contains(alarm.Text(), "\u202e") {
			t.Errorf("%s: what hides in a finding is not marked", tt.path)
		}
	}
	auditor.htmx = true
	if part := auditor.get("/confirms"); !strings.Contains(part.text, `hx-target="#alarm"`) {
		t.Error("a page that is open is not told")
	}
	auditor.htmx = false

	page := decider.get("/confirms/" + c.ID)
	if doc := page.doc(t); doc.Find("form[action*='/decision']").Length() != 0 || !strings.Contains(doc.Text(), "Nothing can be decided or used until a later verification") {
		t.Errorf("the page offers a decision, or does not say why not: %s", page.text)
	}
	decider.want(decider.submit(opened, "/confirms/"+c.ID+"/decision", "decision", "approve"), http.StatusServiceUnavailable)

	w.found()
	if alarm := auditor.get("/confirms").doc(t).Find("#alarm").Text(); strings.TrimSpace(alarm) != "" {
		t.Errorf("when nothing is found any more: %q", alarm)
	}
	decider.want(decider.submit(opened, "/confirms/"+c.ID+"/decision", "decision", "approve"), http.StatusSeeOther)
}

// The evidence page says what became of the last verification, and begins one.
func TestVerification_OnTheEvidencePage(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b := w.user("auditor", w.role("auditor", "trace.read"))
	says := func(want ...string) *answer {
		t.Helper()
		page := b.want(b.get("/evidence"), http.StatusOK)
		card := page.doc(t).Find("section[aria-labelledby=verification]").Text()
		for _, words := range want {
			if !strings.Contains(card, words) {
				t.Errorf("the page does not say %q: %s", words, card)
			}
		}
		return page
	}
	says("--verify-every 0")
	w.found()
	says("No changes found", "2 Jan 2026, 03:04:05 UTC", "1.234s, for 77 log entries", "2 Jan 2026, 04:04:05 UTC")
	v := w.svc.Verification()
	v.Failure, v.FailedAt = "signal: killed", w.now()
	w.svc.SetVerification(v)
	says("No changes found", "Failed", "The newest could not run", "signal: killed")
	w.found("plans p: the row is not as it was logged")
	page := says("The database was changed", "plans p: the row", "and 2 more", "Undo the change")

	b.want(b.submit(page, "/evidence/verify"), http.StatusTooManyRequests)
	w.pass(time.Minute)
	answer := b.want(b.submit(page, "/evidence/verify"), http.StatusSeeOther)
	if got := answer.Header.Get("Location"); got != "/evidence?done=verification" {
		t.Errorf("it leads to %q", got)
	}
	if text := b.get("/evidence?done=verification").text; !strings.Contains(text, "Verification started.") {
		t.Error("the page does not say that one has begun")
	}
	select {
	case <-w.svc.VerificationWanted():
	default:
		t.Error("nobody is told that one is wanted")
	}
	v = w.svc.Verification()
	v.Running = true
	w.svc.SetVerification(v)
	if says("Running since").doc(t).Find("form[action='/evidence/verify']").Length() != 0 {
		t.Error("another one is offered while one runs")
	}
}
