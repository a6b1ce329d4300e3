package web_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"countersign/domain"
)

// What people approved so far stands on the page, and leads to the request. It has to be
// acknowledged like any grave finding.
func TestFinding_OfAnotherAccount(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b, agent := w.user("reviewer", "reviewer"), w.asker()
	const pay = `{"confirm_id":%q,"target_type":"other","actions":[{"name":"pay","args":{"payee":"Acme","iban":"DE8937040044053201300%d","amount":5}}]}`
	for i := range 3 {
		b.want(b.decide(w.post(agent, fmt.Sprintf(pay, fmt.Sprint("before-", i), 0)), "decision", "approve"), http.StatusSeeOther)
	}
	same, other := w.post(agent, fmt.Sprintf(pay, "same", 0)), w.post(agent, fmt.Sprintf(pay, "other", 1))
	says := func(c *domain.Confirm) string { return b.open(c).doc(t).Find("main").Text() }
	const found = "Same payee, another account: 3 approved since 2 Jan, none with this one"
	if strings.Contains(says(other), found) {
		t.Error("the facts speak before they are made")
	}
	if _, err := w.svc.FoldFacts(w.ctx); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(says(same), "another account") {
		t.Error("the account of before is called another")
	}
	doc := b.open(other).doc(t)
	if !strings.Contains(doc.Find(".findings").Text(), found) || doc.Find(`a[href*="before-2"]`).Length() == 0 {
		t.Errorf("the page lists %q", doc.Find(".findings").Text())
	}
	box := doc.Find(`.ack input[type="checkbox"]`)
	b.want(b.decide(other, "decision", "approve"), http.StatusUnprocessableEntity)
	b.want(b.decide(other, "decision", "approve", box.AttrOr("name", ""), box.AttrOr("value", "")), http.StatusSeeOther)
}
