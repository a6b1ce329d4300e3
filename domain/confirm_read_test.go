package domain_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"countersign/domain"
)

// Rows that are found by id hold what the list has of the same confirms, and
// leave out what their reader may not see.
func TestConfirmRows_AreThoseOfTheList(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	reader := w.user("reader", "reviewer")
	agent := w.key("bot", "executor", w.role("asker", "confirm.request", "plan.*"))
	ids := []string{
		w.post(agent, `{"target_type":"other","actions":[{"name":"run","args":{}},{"name":"stop","args":{}}],"reason":"two tools"}`).ID,
		w.post(agent, `{"target_type":"other","reason":"nothing else"}`).ID,
		w.post(agent, `{"target_type":"plan","target_id":"`+w.plan(agent, "p-1")+`","reason":"a plan"}`).ID,
		w.post(agent, `{"target_type":"plan","target_id":"p-9","reason":"no plan"}`).ID,
		w.post(agent, `{"target_type":"context","target_id":"c-9","reason":"no context"}`).ID,
	}
	listed, _, err := w.Confirms(w.ctx, reader, domain.ConfirmFilter{Status: domain.Pending}, domain.Page{})
	if err != nil || len(listed) != len(ids) {
		t.Fatalf("%d are listed: %v", len(listed), err)
	}
	want := map[string]*domain.ConfirmRow{}
	for _, row := range listed {
		want[row.ID] = row
	}
	found, err := w.ConfirmRowsByID(w.ctx, reader, append(ids, ids[0], "none"))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, found, cmpopts.IgnoreFields(domain.ConfirmRow{}, "Confirm.BodyDigest", "Confirm.Fresh"), cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("rows (-list +by id):\n%s", diff)
	}

	stranger := w.keyFor(domain.KeyInput{Name: "stranger", Roles: []string{"executor"}, Owner: "reader"})
	if hidden, err := w.ConfirmRowsByID(w.ctx, stranger, ids); err != nil || len(hidden) != 0 {
		t.Errorf("a stranger finds %v: %v", hidden, err)
	}
	w.mustDecide(reader, &found[ids[1]].Confirm, domain.Rejected)
	w.pass(2 * time.Hour)
	if _, err := w.Prune(w.ctx, time.Hour); err != nil {
		t.Fatal(err)
	}
	forgotten, err := w.ConfirmRowsByID(w.ctx, reader, ids[1:2])
	if row := forgotten[ids[1]]; err != nil || row == nil || row.Reason.Text != "" || row.Status != domain.Rejected {
		t.Errorf("a forgotten one is %+v: %v", row, err)
	}
}
