package store

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"countersign/domain"
	"countersign/domain/evidence"
	"countersign/store/driver"
)

func openTest(t *testing.T, path string, o Options) *DB {
	t.Helper()
	db, err := Open(context.Background(), path, placed(path, o))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Errorf("Close: %v", err)
		}
	})
	return db
}

func tempFile(t *testing.T) string { return filepath.Join(t.TempDir(), "test.db") }

// addRole is a transaction that adds one role and its entry.
func addRole(id string) func(domain.Tx) error {
	return func(tx domain.Tx) error {
		if err := tx.InsertRole(&domain.Role{ID: id, Name: id}); err != nil {
			return err
		}
		return tx.Append(&evidence.Entry{Type: "role.created", ObjectID: id})
	}
}

func roleIDs(t *testing.T, db *DB) []string {
	t.Helper()
	var ids []string
	err := db.View(context.Background(), func(r domain.Reader) error {
		list, err := r.Roles()
		for _, role := range list {
			ids = append(ids, role.ID)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(ids)
	return ids
}

// loggedObjects are the objects that the log names, in its order; the numbers must
// have no gap.
func loggedObjects(t *testing.T, db *DB) []string {
	t.Helper()
	var ids []string
	err := db.View(context.Background(), func(r domain.Reader) error {
		entries, err := r.Entries(domain.EntryFilter{Limit: 1 << 20})
		for i, e := range entries {
			if e.Seq != int64(i) {
				t.Errorf("entry %d has number %d", i, e.Seq)
			}
			ids = append(ids, e.ObjectID)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return ids
}

func TestEveryAnswerIsTrue(t *testing.T) {
	both(t, func(t *testing.T, path string) {
		const callers, each = 200, 10
		var mu sync.Mutex
		var published, acknowledged []string
		db := openTest(t, path, Options{Committed: func(entries []*evidence.Entry) {
			mu.Lock()
			defer mu.Unlock()
			for _, e := range entries {
				published = append(published, e.ObjectID)
			}
		}})
		refused := errors.New("refused by a rule")
		var wg sync.WaitGroup
		for caller := range callers {
			wg.Go(func() {
				for n := range each {
					id := fmt.Sprintf("%d-%d", caller, n)
					err := db.Tx(context.Background(), func(tx domain.Tx) error {
						if err := addRole(id)(tx); err != nil {
							return err
						}
						switch (caller + n) % 5 {
						case 0:
							return refused
						case 1:
							panic("a fault of the program")
						}
						return nil
					})
					if wanted := (caller+n)%5 > 1; (err == nil) != wanted {
						t.Errorf("%s: error %v, want success %t", id, err, wanted)
					}
					if err == nil {
						mu.Lock()
						acknowledged = append(acknowledged, id)
						mu.Unlock()
					}
				}
			})
		}
		wg.Wait()
		inLog := loggedObjects(t, db)
		if err := db.Close(); err != nil { // after this nothing more is published
			t.Fatal(err)
		}
		if diff := cmp.Diff(inLog, published); diff != "" {
			t.Errorf("published (-log +published):\n%s", diff)
		}
		db = openTest(t, path, Options{})
		slices.Sort(acknowledged)
		if diff := cmp.Diff(acknowledged, roleIDs(t, db)); diff != "" {
			t.Errorf("stored (-acknowledged +stored):\n%s", diff)
		}
		slices.Sort(inLog)
		if diff := cmp.Diff(acknowledged, inLog); diff != "" {
			t.Errorf("logged (-acknowledged +logged):\n%s", diff)
		}
	})
}

// Callers leave while groups run. Whoever is told of success has it, and
// whoever is told of an error does not.
func TestCallersThatLeave(t *testing.T) {
	both(t, func(t *testing.T, path string) {
		db := openTest(t, path, Options{})
		var mu sync.Mutex
		var acknowledged []string
		var wg sync.WaitGroup
		for caller := range 64 {
			wg.Go(func() {
				for n := range 20 {
					id := fmt.Sprintf("%d-%d", caller, n)
					ctx, cancel := context.WithCancel(context.Background())
					if n%4 == 0 {
						cancel()
					}
					go cancel() // any time from now on
					err := db.Tx(ctx, func(tx domain.Tx) error {
						cancel() // in the middle of its turn at the latest
						return addRole(id)(tx)
					})
					switch {
					case err == nil:
						mu.Lock()
						acknowledged = append(acknowledged, id)
						mu.Unlock()
					case !errors.Is(err, context.Canceled):
						t.Errorf("%s: %v", id, err)
					}
				}
			})
		}
		wg.Wait()
		slices.Sort(acknowledged)
		if diff := cmp.Diff(acknowledged, roleIDs(t, db)); diff != "" {
			t.Errorf("stored (-acknowledged +stored):\n%s", diff)
		}
		if got := len(loggedObjects(t, db)); got != len(acknowledged) {
			t.Errorf("%d entries, want %d", got, len(acknowledged))
		}
	})
}

// together runs the transactions as one group: while the writer is held, all
// of them gather. It must run in a synctest bubble.
func together(t *testing.T, db *DB, fns ...func(domain.Tx) error) []error {
	t.Helper()
	release := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		err := db.Tx(context.Background(), func(domain.Tx) error { <-release; return nil })
		if err != nil {
			t.Errorf("holding the writer: %v", err)
		}
	})
	synctest.Wait()
	answers := make([]error, len(fns))
	for i, fn := range fns {
		wg.Go(func() { answers[i] = db.Tx(context.Background(), fn) })
		synctest.Wait() // it stands in the queue before the next one does
	}
	close(release)
	wg.Wait()
	return answers
}

// Nothing is left of a member that fails, whatever it had come to, and everything of
// the others in its group.
func TestMembersThatFail(t *testing.T) {
	path := tempFile(t)
	synctest.Test(t, func(t *testing.T) {
		db := openTest(t, path, Options{})
		key := func(id string) string {
			return "INSERT INTO volatile_key_used (key_id, used_at) VALUES ('" + id + "', 1)"
		}
		write := func(id string) func(domain.Tx) error {
			return func(x domain.Tx) error { return x.(*tx).Conn.Queue(key(id)) }
		}
		used := func(r *reader) []string {
			ids, err := r.strings("SELECT key_id FROM volatile_key_used ORDER BY key_id")
			if err != nil {
				t.Error(err)
			}
			return ids
		}
		reads := func(want ...string) func(domain.Tx) error {
			return func(x domain.Tx) error {
				if diff := cmp.Diff(want, used(&x.(*tx).reader)); diff != "" {
					t.Errorf("read in the middle (-want +got):\n%s", diff)
				}
				return nil
			}
		}
		all := func(fns ...func(domain.Tx) error) func(domain.Tx) error {
			return func(x domain.Tx) error {
				for _, fn := range fns {
					if err := fn(x); err != nil {
						return err
					}
				}
				return nil
			}
		}
		refused := errors.New("refused by a rule")
		fails := func(domain.Tx) error { return refused }
		stored := func(want ...string) {
			t.Helper()
			err := db.view(t.Context(), func(r *reader) error {
				if diff := cmp.Diff(want, used(r)); diff != "" {
					t.Errorf("stored (-want +got):\n%s", diff)
				}
				return nil
			})
			if err != nil {
				t.Error(err)
			}
		}
		answers := together(t, db, write("a"), all(write("b"), fails), all(write("c"), reads("a", "c"), write("d"), fails),
			all(reads("a"), write("e"), reads("a", "e"), write("f")))
		if diff := cmp.Diff([]bool{false, true, true, false}, []bool{answers[0] != nil, answers[1] != nil, answers[2] != nil, answers[3] != nil}); diff != "" {
			t.Errorf("refused (-want +got):\n%s", diff)
		}
		stored("a", "e", "f")
		answers = together(t, db, write("g"), all(write("h"), write("a")), write("i"))
		if answers[0] != nil || !errors.Is(answers[1], driver.ErrDuplicate) || answers[2] != nil {
			t.Errorf("a group in which one writes what is there: %v", answers)
		}
		stored("a", "e", "f", "g", "i")
	})
}

func TestDoomedGroups(t *testing.T) {
	exec := func(x domain.Tx, text string) error {
		_, err := x.(*tx).Conn.Exec(text)
		return err
	}
	for _, tt := range []struct {
		name string
		doom func(domain.Tx) error
	}{
		{"a full disk that the member overlooks", func(tx domain.Tx) error {
			if err := exec(tx, "PRAGMA max_page_count = 1"); err != nil {
				return err
			}
			err := tx.InsertRole(&domain.Role{ID: "big", Name: "big", Native: make([]byte, 1<<20)})
			if err == nil {
				t.Error("the disk was not full")
			}
			return nil
		}},
		{"a full disk that the member reports", func(tx domain.Tx) error {
			if err := exec(tx, "PRAGMA max_page_count = 1"); err != nil {
				return err
			}
			return tx.InsertRole(&domain.Role{ID: "big", Name: "big", Native: make([]byte, 1<<20)})
		}},
		{"a transaction that is gone", func(tx domain.Tx) error {
			return exec(tx, "ROLLBACK")
		}},
		{"a transaction that is gone, and a member that fails", func(tx domain.Tx) error {
			return errors.Join(exec(tx, "ROLLBACK"), errors.New("refused by a rule"))
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			path := tempFile(t)
			synctest.Test(t, func(t *testing.T) {
				db := openTest(t, path, Options{Fatal: func(err error) { t.Errorf("fatal: %v", err) }})
				if err := db.Tx(context.Background(), addRole("before")); err != nil {
					t.Fatal(err)
				}
				for i, err := range together(t, db, addRole("first"), tt.doom, addRole("last")) {
					if code := domain.ErrorCode(err); code != domain.CodeEvidenceUnavailable {
						t.Errorf("member %d: error %v, want %s", i, err, domain.CodeEvidenceUnavailable)
					}
				}
				if diff := cmp.Diff([]string{"before"}, roleIDs(t, db)); diff != "" {
					t.Errorf("stored (-want +got):\n%s", diff)
				}
				after := together(t, db, func(tx domain.Tx) error { return exec(tx, "PRAGMA max_page_count = 100000") }, addRole("after"))
				if err := errors.Join(after...); err != nil {
					t.Errorf("the next group: %v", err)
				}
				if diff := cmp.Diff([]string{"before", "after"}, loggedObjects(t, db)); diff != "" {
					t.Errorf("logged (-want +got):\n%s", diff)
				}
			})
		})
	}
}

// A commit that fails for anything but a full disk or a lock leaves its
// outcome unknown: everybody is told so. Nothing is accepted any more, and who
// comes later is told that.
func TestUnknownOutcome(t *testing.T) {
	path := tempFile(t)
	synctest.Test(t, func(t *testing.T) {
		fatal := 0
		db := openTest(t, path, Options{Fatal: func(error) { fatal++ }})
		failsAtCommit := func(x domain.Tx) error {
			_, err := x.(*tx).Conn.Exec("PRAGMA defer_foreign_keys = 1")
			return errors.Join(err,
				x.InsertDecision(&domain.Decision{ID: "d", RequestedSeq: 1 << 40, Status: domain.Approved, Cause: domain.CauseHuman, DecidedAt: time.UnixMicro(1)}),
				x.Append(&evidence.Entry{Type: "confirm.approved"}))
		}
		answers := together(t, db, addRole("first"), failsAtCommit, addRole("last"))
		answers = append(answers, db.Tx(context.Background(), addRole("later")))
		for i, err := range answers {
			if code := domain.ErrorCode(err); code != domain.CodeEvidenceUnavailable {
				t.Errorf("member %d: error %v, want %s", i, err, domain.CodeEvidenceUnavailable)
			}
			want := "is unknown"
			if i == len(answers)-1 {
				want = "did not happen"
			}
			if message := domain.AsError(err).Message; !strings.Contains(message, want) {
				t.Errorf("member %d is told %q, want that it %s", i, message, want)
			}
		}
		if fatal != 1 {
			t.Errorf("Fatal was told %d times, want once", fatal)
		}
	})
}

// A fn that ends its goroutine, as a test's FailNow does, must not leave
// everybody waiting for ever.
func TestGoexitInTransaction(t *testing.T) {
	both(t, func(t *testing.T, path string) {
		db := openTest(t, path, Options{})
		for range 2 {
			if err := db.Tx(context.Background(), func(domain.Tx) error { runtime.Goexit(); return nil }); err == nil {
				t.Error("no error, want one")
			}
		}
		if got := roleIDs(t, db); len(got) != 0 {
			t.Errorf("stored %v, want nothing", got)
		}
	})
}
