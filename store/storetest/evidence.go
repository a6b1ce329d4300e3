package storetest

import (
	"context"
	"testing"

	"countersign/domain"
	"countersign/domain/evidence"
)

// testTree: every commit leaves a signed checkpoint of all entries, and hashes
// that prove each.
func testTree(t *testing.T, s Store) {
	view(t, s, func(r domain.Reader) error {
		_, _, err := r.Checkpoint()
		wantError(t, "the checkpoint of an empty log", domain.ErrNotFound, err)
		return nil
	})
	for i := range int64(9) {
		err := s.Tx(context.Background(), func(tx domain.Tx) error { return tx.Append(entry("test.written")) })
		wantError(t, "Tx", nil, err)
		view(t, s, func(r domain.Reader) error {
			signed, c, err := r.Checkpoint()
			if err != nil {
				return err
			}
			same(t, "entries in the checkpoint", i+1, c.Size)
			vkey, err := r.VKey()
			if err != nil {
				return err
			}
			_, err = evidence.OpenCheckpoint(signed, vkey)
			wantError(t, "the signature", nil, err)
			for seq := range c.Size {
				leaf, err := r.Leaf(seq)
				if err != nil {
					return err
				}
				_, err = evidence.Prove(c, seq, evidence.LeafHash(leaf), r)
				wantError(t, "the proof of an entry", nil, err)
			}
			return nil
		})
	}
	_, err := begin(s)
	wantError(t, "BeginEpoch of what was not restored", nil, err)
}

func begin(s Store) (handed *evidence.KeyChange, err error) {
	err = s.Tx(context.Background(), func(tx domain.Tx) error {
		handed, err = tx.BeginEpoch()
		return err
	})
	return handed, err
}

// testForget: content goes with what decisions repeat of it, and only what no
// plan relies on is offered.
func testForget(t *testing.T, s Store) {
	done, pending, live := confirm("done", func(c *domain.Confirm) { c.RoleRegistered = false }), confirm("pending"), confirm("live", func(c *domain.Confirm) { c.PlanID = "p1" })
	running := plan("p1", 0)
	running.Status = domain.PlanInProgress
	write(t, s, func(tx domain.Tx) error { return tx.InsertPlan(running, []byte(`{}`)) })
	insert(t, s, done, pending, live)
	made := decision(done, 0)
	made.UserEditContent, made.Reason = "less", "because"
	made.Actions = []domain.ActionDecision{{Type: "edit", Name: "rm", Args: []byte(`{"a":1}`), ArgsHash: "sha256:x", Message: "m"}}
	write(t, s, func(tx domain.Tx) error {
		return all(finish(tx, done, domain.Approved, 5), finish(tx, live, domain.Approved, 5), tx.InsertDecision(made))
	})
	forgettable := func(n int) []string {
		return pages(t, s, 10, func(r domain.Reader, p domain.Page) ([]string, string, error) { return r.PrunableConfirms(at(n), p) })
	}
	same(t, "forgettable before it was decided", 0, len(forgettable(5)))
	same(t, "forgettable", []string{"done"}, forgettable(6))
	write(t, s, func(tx domain.Tx) error { return tx.ForgetContent(done) })
	same(t, "forgettable again", 0, len(forgettable(6)))
	view(t, s, func(r domain.Reader) error {
		_, err := r.ConfirmContent(done.RequestedSeq)
		wantError(t, "ConfirmContent", domain.ErrNotFound, err)
		return nil
	})
	left := read(t, s, func(r domain.Reader) ([]*domain.Decision, error) { return r.Decisions(done.RequestedSeq) })
	made.UserEditContent, made.Reason = "", ""
	made.Actions = []domain.ActionDecision{{Type: "edit", ArgsHash: "sha256:x"}}
	same(t, "decisions", []*domain.Decision{made}, left)
	row := read(t, s, func(r domain.Reader) (*domain.Confirm, error) { return r.Confirm(done.ID) })
	same(t, "the role that is only a label", "", row.RequestedByRole)
	wantError(t, "ForgetContent twice", domain.ErrNotFound, tryWrite(s, func(tx domain.Tx) error { return tx.ForgetContent(done) }))
}
