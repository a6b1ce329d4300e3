package storetest

import (
	"bytes"
	"context"
	"errors"
	"testing"

	"countersign/domain"
	"countersign/domain/evidence"
)

func testTransactions(t *testing.T, s Store) {
	refused := errors.New("refused by a rule")
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	for _, tt := range []struct {
		name string
		ctx  context.Context
		fn   func(domain.Tx) error
		want error // nil: any
	}{
		{"an error undoes everything", context.Background(), func(tx domain.Tx) error {
			return errors.Join(tx.InsertRole(role("r1", "one")), tx.Append(entry("test.lost")), refused)
		}, refused},
		{"a panic undoes everything", context.Background(), func(tx domain.Tx) error {
			if err := errors.Join(tx.InsertRole(role("r1", "one")), tx.Append(entry("test.lost"))); err != nil {
				return err
			}
			panic("a fault of the program")
		}, nil},
		{"a row that no entry covers is refused", context.Background(), func(tx domain.Tx) error {
			return errors.Join(tx.Append(entry("test.early")), tx.InsertRole(role("r1", "one")))
		}, nil},
		{"a caller that has left is skipped", ended, func(tx domain.Tx) error {
			return errors.Join(tx.InsertRole(role("r1", "one")), tx.Append(entry("test.lost")))
		}, context.Canceled},
	} {
		t.Run(tt.name, func(t *testing.T) {
			err := s.Tx(tt.ctx, tt.fn)
			if err == nil || tt.want != nil && !errors.Is(err, tt.want) {
				t.Errorf("error %v, want %v", err, tt.want)
			}
			view(t, s, func(r domain.Reader) error {
				_, err := r.Role("r1")
				wantError(t, "Role", domain.ErrNotFound, err)
				next, err := r.NextSeq()
				same(t, "next number", int64(0), next)
				return err
			})
		})
	}

	t.Run("volatile rows need no entry", func(t *testing.T) {
		err := s.Tx(context.Background(), func(tx domain.Tx) error { return tx.InsertSession(session("one", "u1", 0, 0)) })
		wantError(t, "Tx", nil, err)
		same(t, "sessions", 1, len(sessionsOf(t, s, "u1")))
	})
	t.Run("a failed statement undoes only itself", func(t *testing.T) {
		write(t, s, func(tx domain.Tx) error {
			if err := tx.InsertRole(role("r1", "one")); err != nil {
				return err
			}
			wantError(t, "the same again", domain.ErrConflict, tx.InsertRole(role("r1", "one")))
			return nil
		})
		same(t, "roles", 1, len(read(t, s, domain.Reader.Roles)))
	})
	t.Run("a view is a snapshot", func(t *testing.T) {
		view(t, s, func(r domain.Reader) error {
			before, err := r.NextSeq()
			if err != nil {
				return err
			}
			write(t, s, func(tx domain.Tx) error { return tx.InsertRole(role("r2", "two")) })
			after, err := r.NextSeq()
			same(t, "next number", before, after)
			return err
		})
	})
}

// testRowDigests writes to every logged table, in every way there is, and then
// compares what the log says of each row with what is stored.
func testRowDigests(t *testing.T, s Store) {
	c, p, x := confirm("c1"), plan("p1", 0), planContext("x1", 0, "keys")
	u, k := user("u1", "owner", "r2", "r1"), key("k1", "agent", "r1", "r2")
	write(t, s, func(tx domain.Tx) error {
		return all(tx.InsertRole(role("r1", "one")), tx.InsertRole(role("r2", "two")), tx.InsertRole(role("r3", "three")),
			tx.InsertUser(u), tx.InsertKey(k), tx.InsertContext(x), tx.InsertPlan(p, []byte(`{}`)),
			tx.InsertConfirm(c, content(c, "rm")), tx.InsertDecision(decision(c, 0)),
			tx.InsertTrace(&domain.Trace{ID: "t1", RequestedBy: agent, CreatedAt: at(0)}),
			tx.InsertConsumption(&domain.Consumption{RequestedSeq: c.RequestedSeq, Subject: "confirm", ExecutionID: "e", ConsumedBy: agent, ConsumedAt: at(0)}))
	})
	write(t, s, func(tx domain.Tx) error {
		u.Roles, k.Roles, k.RevokedAt = []string{"r1"}, []string{"r2"}, at(9)
		x.Title, p.States = "another", "ccc"
		return all(tx.DeleteRole("r3"), tx.UpdateRole(role("r1", "uno")), tx.UpdateUser(u), tx.UpdateKey(k), tx.UpdateContext(x),
			tx.UpdatePlan(p, domain.PlanDraft, []byte(`{"a":1}`)), tx.UpdatePlan(p, domain.PlanDraft, nil), finish(tx, c, domain.Approved, 4))
	})

	said := map[string][]byte{}
	for _, e := range read(t, s, func(r domain.Reader) ([]*evidence.Entry, error) { return r.Entries(domain.EntryFilter{}) }) {
		names := map[string]bool{}
		for _, row := range e.Rows {
			name := row.Table + " " + row.Key
			if names[name] {
				t.Errorf("entry %d names row %s twice", e.Seq, name)
			}
			names[name] = true
			said[name] = row.Digest
			if row.Digest == nil {
				delete(said, name)
			}
		}
	}
	tables := map[string]bool{}
	err := s.Rows(context.Background(), func(table, key string, digest []byte) error {
		name := table + " " + key
		tables[table] = true
		if !bytes.Equal(said[name], digest) {
			t.Errorf("row %s has digest %x, the log says %x", name, digest, said[name])
		}
		delete(said, name)
		return nil
	})
	if err != nil {
		t.Fatalf("Rows: %v", err)
	}
	same(t, "rows only in the log", map[string][]byte{}, said)
	same(t, "tables with rows", 13, len(tables))
}
