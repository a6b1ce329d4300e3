package web_test

import (
	"net/http"
	"strings"
	"testing"
)

const (
	everyRow = `{"target_type":"other","reason":"Close what is lost","actions":[{"name":"run_sql","args":{"statement":"UPDATE parcels SET status = 'closed'"}}]}`
	lostRows = `{"target_type":"other","reason":"Close what is lost","actions":[{"name":"run_sql","args":{"statement":"UPDATE parcels SET status = 'closed' WHERE status = 'lost'"}}]}`
)

// Who approves has to touch what is grave. The server checks it, whatever the page does.
func TestFinding_HasToBeAcknowledged(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b, agent := w.user("reviewer", "reviewer"), w.asker()
	c := w.post(agent, everyRow)
	doc := b.open(c).doc(t)
	if got := doc.Find(".findings").Text(); !strings.Contains(got, "1 to notice") || !strings.Contains(got, "WHERE") {
		t.Errorf("the page lists %q", got)
	}
	box := doc.Find(`.ack input[type="checkbox"]`)
	if box.Length() != 1 {
		t.Fatalf("%d boxes to tick", box.Length())
	}
	name, key := box.AttrOr("name", ""), box.AttrOr("value", "")
	for _, ack := range []string{"", "sql 0 /other", key + " "} {
		refused := b.want(b.decide(c, "decision", "approve", "reason", "It is fine", name, ack), http.StatusUnprocessableEntity).doc(t)
		if refused.Find(`.ack input[aria-invalid="true"]`).Length() != 1 {
			t.Errorf("acknowledged %q: the box is not marked", ack)
		}
		if got := refused.Find("#reason").Text(); got != "It is fine" {
			t.Errorf("acknowledged %q: the reason became %q", ack, got)
		}
	}
	b.want(b.decide(c, "decision", "approve", name, key), http.StatusSeeOther)
}

func TestFinding_NeedsNoAcknowledgementWhereNothingGraveRuns(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b, agent := w.user("reviewer", "reviewer"), w.asker()
	harmless := w.post(agent, lostRows)
	if n := b.open(harmless).doc(t).Find(".findings, .ack").Length(); n != 0 {
		t.Errorf("a harmless request has %d lists and boxes", n)
	}
	b.want(b.decide(harmless, "decision", "approve"), http.StatusSeeOther)
	b.want(b.decide(w.post(agent, everyRow), "decision", "reject"), http.StatusSeeOther)

	edited := w.post(agent, everyRow)
	removes := b.decide(edited, "decision", "edit", "args_0", `{"statement":"UPDATE parcels SET status = 'closed' WHERE status = 'lost'"}`)
	if got := b.want(removes, http.StatusOK).doc(t).Find("h1").Text(); !strings.Contains(got, "Approve with these arguments") {
		t.Errorf("an edit that removes the finding leads to %q", got)
	}
	b.want(b.decide(edited, "decision", "edit", "args_0", `{"statement":"UPDATE parcels SET status = 'gone'"}`), http.StatusUnprocessableEntity)
}
