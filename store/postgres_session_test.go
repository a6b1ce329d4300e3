package store

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"countersign/domain"
	"countersign/domain/evidence"
	"countersign/store/postgrestest"
)

// What members of a group write goes to PostgreSQL together. One that fails while
// it has its turn is undone alone; what fails after the member's end takes the
// group along, and everybody in it is told so.
func TestMembersThatFailInPostgreSQL(t *testing.T) {
	t.Parallel()
	refused := errors.New("refused by a rule")
	divide := func(x *tx) error { return x.c.later("SELECT 1 / $1::bigint", 0) }
	for _, tt := range []struct {
		name   string
		fails  func(x *tx) error
		others bool // are kept
	}{
		{"before anything was sent", func(x *tx) error { return errors.Join(addRoleLater(x, "lost"), refused) }, true},
		{"after it waited", func(x *tx) error { return errors.Join(addRole("lost")(x), refused) }, true},
		{"in what it waits for", func(x *tx) error {
			_, err := x.c.exec("SELECT 1 / $1::bigint", 0)
			return errors.Join(addRoleLater(x, "lost"), err)
		}, true},
		{"in what it waits for, which it overlooks", func(x *tx) error {
			_, _ = x.c.exec("SELECT 1 / $1::bigint", 0)
			return addRoleLater(x, "lost")
		}, true},
		{"in what was queued before it waits", func(x *tx) error {
			return errors.Join(divide(x), addRole("lost")(x))
		}, true},
		{"in what was queued, at its end", func(x *tx) error {
			return errors.Join(addRoleLater(x, "lost"), divide(x))
		}, false},
		{"in what was queued, after many statements", func(x *tx) error {
			var errs []error
			for range maxQueued {
				errs = append(errs, x.c.later("SELECT 1"))
			}
			return errors.Join(append(errs, addRoleLater(x, "lost"), divide(x))...)
		}, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			db := openTest(t, tempDatabase(t), Options{Fatal: func(err error) { t.Errorf("fatal: %v", err) }})
			later := func(id string) func(domain.Tx) error {
				return func(dtx domain.Tx) error { return addRoleLater(dtx.(*tx), id) }
			}
			answers := inOneGroup(db, later("first"), func(dtx domain.Tx) error { return tt.fails(dtx.(*tx)) }, later("second"), addRole("third"))
			var want []string
			for i, err := range answers {
				kept := tt.others && i != 1
				if (err == nil) != kept {
					t.Errorf("member %d: error %v, want success %t", i, err, kept)
				}
				if !tt.others && domain.ErrorCode(err) != domain.CodeEvidenceUnavailable {
					t.Errorf("member %d: error %v, want %s", i, err, domain.CodeEvidenceUnavailable)
				}
			}
			if tt.others {
				want = []string{"first", "second", "third"}
			}
			if err := db.Tx(t.Context(), addRole("after")); err != nil {
				t.Errorf("the next group: %v", err)
			}
			if diff := cmp.Diff(append(want, "after"), loggedObjects(t, db)); diff != "" {
				t.Errorf("logged (-want +got):\n%s", diff)
			}
			if got := len(roleIDs(t, db)); got != len(want)+1 {
				t.Errorf("%d roles, want %d", got, len(want)+1)
			}
		})
	}
}

// A migration may take longer than a statement that somebody waits for.
func TestMigrate_TakesWhatItTakes(t *testing.T) {
	t.Parallel()
	d, err := dialectOf(postgrestest.Database(t))
	if err != nil {
		t.Fatal(err)
	}
	c, err := openConn(t.Context(), d, writes)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = c.close() }()
	s := c.session.(*postgresSession)
	if err := s.script("SET statement_timeout = '1ms'"); err != nil {
		t.Fatal(err)
	}
	s.timeout = time.Nanosecond
	if err := migrate(t.Context(), c, Options{Now: time.Now}); err != nil {
		t.Error(err)
	}
	if s.timeout != time.Nanosecond {
		t.Errorf("the bound of what comes later is %v", s.timeout)
	}
}

// A server that does not answer keeps nobody from closing the database.
func TestClose_GivesUpAServerThatDoesNotAnswer(t *testing.T) {
	t.Parallel()
	hang := func(c *conn, begun chan<- struct{}) error {
		c.session.(*postgresSession).timeout = 0
		close(begun)
		_, err := c.exec("SELECT pg_sleep(3600)")
		return err
	}
	for name, wait := range map[string]func(db *DB, begun chan<- struct{}) error{
		"a reader": func(db *DB, begun chan<- struct{}) error {
			return db.view(context.Background(), func(r *reader) error { return hang(r.c, begun) })
		},
		"a writer": func(db *DB, begun chan<- struct{}) error {
			return db.Tx(context.Background(), func(x domain.Tx) error { return hang(x.(*tx).c, begun) })
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			db := openTest(t, tempDatabase(t), Options{})
			begun, ended := make(chan struct{}), make(chan error, 1)
			go func() { ended <- wait(db, begun) }()
			<-begun
			closed := make(chan error, 1)
			go func() { closed <- db.Close() }()
			select {
			case err := <-closed:
				if err != nil {
					t.Error(err)
				}
			case <-time.After(time.Minute):
				t.Fatal("it is still not closed")
			}
			if err := <-ended; domain.ErrorCode(err) != domain.CodeEvidenceUnavailable {
				t.Errorf("error %v, want %s", err, domain.CodeEvidenceUnavailable)
			}
		})
	}
}

// addRoleLater is addRole without waiting for anything.
func addRoleLater(x *tx, id string) error {
	if err := roles.add(x, &domain.Role{ID: id, Name: id}); err != nil {
		return err
	}
	return x.Append(&evidence.Entry{Type: "role.created", ObjectID: id})
}

// inOneGroup runs the transactions as one group.
func inOneGroup(db *DB, fns ...func(domain.Tx) error) (answers []error) {
	var group []*member
	for _, fn := range fns {
		group = append(group, &member{ctx: context.Background(), fn: fn})
	}
	w := db.writer
	w.between(func() {
		if entries := w.observe(group, w.begin()); len(entries) > 0 {
			w.publish(entries)
		}
	})
	for _, m := range group {
		answers = append(answers, m.err)
	}
	return answers
}
