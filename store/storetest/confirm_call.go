package storetest

import (
	"fmt"
	"testing"

	"countersign/domain"
	"countersign/domain/evidence"
)

// called inserts a confirm with calls, each of which pays so much.
func called(t *testing.T, s Store, c *domain.Confirm, sums ...int) {
	t.Helper()
	body := content(c)
	var document evidence.Content
	for _, n := range sums {
		document.Actions = append(document.Actions, evidence.Action{Name: "Pay out", Args: fmt.Appendf(nil, `{"eur":%d}`, n)})
		body.Tools = append(body.Tools, "Pay out")
	}
	body.Content, body.Calls = document.Marshal(), domain.CallDigests(document.Actions)
	write(t, s, func(tx domain.Tx) error { return tx.InsertConfirm(c, body) })
}

func testConfirmsOfCall(t *testing.T, s Store) {
	digest := func(n int) string {
		return domain.CallDigests([]evidence.Action{{Name: "Pay out", Args: fmt.Appendf(nil, `{"eur":%d}`, n)}})[0]
	}
	other := domain.Ref{Kind: domain.KindAgent, ID: "k2"}
	one, two, yes, no := confirm("one"), confirm("two"), confirm("yes"), confirm("no")
	foreign := confirm("foreign", func(c *domain.Confirm) { c.RequestedBy, c.RequestedGroup, c.RequiredRole = other, "others", "r1" })
	theirs := confirm("theirs", func(c *domain.Confirm) { c.RequestedBy, c.RequestedGroup = other, "others" })
	called(t, s, one, 1)
	called(t, s, two, 1, 2, 1)
	called(t, s, yes, 1)
	called(t, s, no, 1)
	called(t, s, foreign, 1)
	called(t, s, theirs, 1)
	called(t, s, confirm("late"), 1)
	called(t, s, confirm("imported", func(c *domain.Confirm) { c.Imported, c.Status = true, domain.Approved }), 1)
	insert(t, s, confirm("bare"))
	for c, status := range map[*domain.Confirm]domain.Status{yes: domain.Approved, no: domain.Rejected, theirs: domain.Approved} {
		write(t, s, func(tx domain.Tx) error { return finish(tx, c, status, 5) })
	}
	late := read(t, s, func(r domain.Reader) (*domain.Confirm, error) { return r.Confirm("late") })
	write(t, s, func(tx domain.Tx) error {
		seq, err := tx.NextSeq()
		if err != nil {
			return err
		}
		late.Status, late.Cause, late.DecidedAt, late.DecidedSeq = domain.Rejected, domain.CauseTimeout, at(9), seq
		return tx.FinishConfirm(late)
	})

	found := func(f domain.CallFilter, limit int) (ids []string) {
		t.Helper()
		for _, hit := range read(t, s, func(r domain.Reader) ([]domain.CallHit, error) { return r.ConfirmsOfCall(f, limit) }) {
			ids = append(ids, hit.ID+" "+string(hit.Status))
		}
		return ids
	}
	call := domain.CallFilter{Digest: digest(1), Except: one.RequestedSeq, Visible: everything}
	same(t, "a call", []string{"theirs approved", "foreign pending", "no rejected", "yes approved", "two pending"}, found(call, 9))
	same(t, "the newest", []string{"theirs approved", "foreign pending"}, found(call, 2))
	call.Visible = domain.Visibility{Group: "keys"}
	same(t, "a call, of a group", []string{"no rejected", "yes approved", "two pending"}, found(call, 9))
	call.Visible = domain.Visibility{Group: "keys", Decides: true}
	same(t, "a call, to a key that decides", []string{"theirs approved", "no rejected", "yes approved", "two pending"}, found(call, 9))
	same(t, "another call", []string{"two pending"}, found(domain.CallFilter{Digest: digest(2), Visible: everything}, 9))
	same(t, "a call that nobody made", 0, len(found(domain.CallFilter{Digest: digest(3), Visible: everything}, 9)))
	same(t, "a tool", []string{"yes approved"}, found(domain.CallFilter{Tool: "Pay out", By: agent, Visible: everything}, 9))
	same(t, "a tool of another requester", []string{"theirs approved"}, found(domain.CallFilter{Tool: "Pay out", By: other, Visible: everything}, 9))
	same(t, "a tool without a word", 0, len(found(domain.CallFilter{Tool: "\x01", By: agent, Visible: everything}, 9)))
	for _, query := range []string{digest(1), "\x01" + digest(1), digest(1)[:3]} {
		same(t, "no search finds a call", 0, len(listed(t, s, domain.ConfirmFilter{Query: query, Visible: everything})))
	}

	write(t, s, func(tx domain.Tx) error { return tx.ForgetContent(yes) })
	same(t, "without what was forgotten", []string{"no rejected", "two pending"}, found(domain.CallFilter{Digest: digest(1), Except: one.RequestedSeq, Visible: domain.Visibility{Group: "keys"}}, 9))
	same(t, "no tool of what was forgotten", 0, len(found(domain.CallFilter{Tool: "Pay out", By: agent, Visible: everything}, 9)))
}
