package store

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"os"
	"strings"
	"testing"

	"countersign/domain"
	"countersign/domain/evidence"
	"countersign/store/ledger"
	"countersign/store/storetest"
)

func add(t *testing.T, db *DB, id string) error {
	t.Helper()
	return db.Tx(context.Background(), addRole(id))
}

// verified verifies a database as the command does, with its own key.
func verified(t *testing.T, path string) *evidence.Report {
	t.Helper()
	vkey, err := VKey(keyOf(path))
	if err != nil {
		t.Fatal(err)
	}
	a := evidence.NewAudit()
	signed, err := Audit(context.Background(), path, a)
	if err != nil {
		t.Fatal(err)
	}
	return a.Finish(signed, vkey)
}

// rotate changes the key as the domain does.
func rotate(tx domain.Tx) error {
	handed, err := tx.RotateKey()
	if err != nil {
		return err
	}
	return tx.Append(&evidence.Entry{Type: evidence.EntryKeyRotated, Data: []byte(`{"old_vkey":"` + handed.OldVKey + `","new_vkey":"` + handed.NewVKey + `","size":1}`)})
}

// What cannot be signed does not happen, and nothing of its group does.
func TestUnsignedIsRefused(t *testing.T) {
	t.Parallel()
	for name, spoil := range map[string]func(path string) error{
		"no key": func(path string) error { return os.Remove(path) },
		"a key that others may read": func(path string) error {
			return os.Chmod(path, 0o640)
		},
		"no key at all": func(path string) error { return os.WriteFile(path, []byte("key"), 0o600) },
	} {
		t.Run(name, func(t *testing.T) {
			both(t, func(t *testing.T, path string) {
				db := openTest(t, path, Options{})
				if err := add(t, db, "before"); err != nil {
					t.Fatal(err)
				}
				if err := db.Close(); err != nil {
					t.Fatal(err)
				}
				if err := spoil(keyOf(path)); err != nil {
					t.Fatal(err)
				}
				db, err := Open(context.Background(), path, placed(path, Options{}))
				if name != "no key" {
					if err == nil || !strings.Contains(err.Error(), keyOf(path)) {
						t.Errorf("opened: %v", err)
					}
					return
				}
				if err != nil {
					t.Fatal(err)
				}
				if err := add(t, db, "after"); domain.ErrorCode(err) != domain.CodeEvidenceUnavailable || !errors.Is(err, ledger.ErrNoKey) {
					t.Errorf("error %v", err)
				}
				err = db.View(context.Background(), func(r domain.Reader) error {
					_, err := r.Roles()
					return err
				})
				if !errors.Is(err, domain.ErrUnproven) { // nobody can tell who signed it
					t.Errorf("read: %v", err)
				}
				if err := db.Close(); err != nil {
					t.Error(err)
				}
			})
		})
	}
}

func TestKeyAndHeadAreTheirOwners(t *testing.T) {
	t.Parallel()
	path := tempFile(t)
	db := openTest(t, path, Options{})
	if err := add(t, db, "r"); err != nil {
		t.Fatal(err)
	}
	for _, suffix := range []string{".key", ".head"} {
		info, err := os.Stat(path + suffix)
		if err != nil {
			t.Fatal(err)
		}
		if mode := info.Mode().Perm(); mode != 0o600 {
			t.Errorf("%s has mode %o, want 600", suffix, mode)
		}
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	head, err := os.ReadFile(path + ".head")
	if err != nil {
		t.Fatal(err)
	}
	if c, err := evidence.PeekCheckpoint(string(head)); err != nil || c.Size != 1 {
		t.Errorf("after Close the head file has %+v (%v)", c, err)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	secret, err := os.ReadFile(keyOf(path))
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(data), strings.TrimSpace(string(secret))[50:]) {
		t.Error("the key is in the database")
	}
}

// A process that ends between the commit of a rotation and the change of the
// files leaves the new key waiting: whoever comes next puts it in its place. A
// key that waits for a commit that never came is no key.
func TestRotationThatWasCutShort(t *testing.T) {
	both(t, func(t *testing.T, path string) {
		db := openTest(t, path, Options{})
		if err := add(t, db, "first"); err != nil {
			t.Fatal(err)
		}
		old, err := os.ReadFile(keyOf(path))
		if err != nil {
			t.Fatal(err)
		}
		refused := errors.New("refused by a rule")
		err = db.Tx(context.Background(), func(tx domain.Tx) error { return errors.Join(rotate(tx), refused) })
		if !errors.Is(err, refused) {
			t.Fatal(err)
		}
		if err := add(t, db, "second"); err != nil {
			t.Fatal(err)
		}
		if now, err := os.ReadFile(keyOf(path)); err != nil || string(now) != string(old) {
			t.Errorf("a rotation that did not happen changed the key (%v)", err)
		}
		if err := db.Tx(context.Background(), rotate); err != nil {
			t.Fatal(err)
		}
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
		fresh, err := os.ReadFile(keyOf(path))
		if err != nil {
			t.Fatal(err)
		}
		for name, text := range map[string][]byte{"": old, ".next": fresh} { // as if cut short
			if err := os.WriteFile(keyOf(path)+name, text, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		db = openTest(t, path, Options{})
		if err := add(t, db, "third"); err != nil {
			t.Fatal(err)
		}
		if now, err := os.ReadFile(keyOf(path)); err != nil || string(now) != string(fresh) {
			t.Errorf("the key that took over is not in its place (%v)", err)
		}
		if r := verified(t, path); !r.IsVerified() {
			t.Errorf("%+v", r)
		}
	})
}

// Nothing is signed over a log that is not as it was signed.
func TestTamperedLogIsNotSigned(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]string{
		"a hash":         "DROP TRIGGER log_no_update; UPDATE log SET hash = zeroblob(32) WHERE seq = 0",
		"the checkpoint": "UPDATE log_head SET checkpoint = replace(checkpoint, 'countersign', 'counterfeit')",
		"the tail":       "DROP TRIGGER log_no_delete; DELETE FROM log",
		"an entry more":  "INSERT INTO log (seq, entry, hash, type) VALUES (1, x'00', x'00', 't')",
	} {
		t.Run(name, func(t *testing.T) {
			both(t, func(t *testing.T, path string) {
				db := openTest(t, path, Options{})
				if err := add(t, db, "before"); err != nil {
					t.Fatal(err)
				}
				other := openTest(t, path, Options{}) // it has not read the tree yet
				if err := storetest.Meddle(t, path, change); err != nil {
					t.Fatal(err)
				}
				if err := add(t, other, "after"); domain.ErrorCode(err) != domain.CodeEvidenceUnavailable {
					t.Errorf("error %v", err)
				}
				if _, err := Open(context.Background(), path, placed(path, Options{})); !errors.Is(err, ErrRollback) {
					t.Errorf("opened: %v", err)
				}
			})
		})
	}
}

// Without a head file a rollback shows nowhere: whoever opens the database is told.
func TestOpen_TellsThatTheHeadFileIsMissing(t *testing.T) {
	both(t, func(t *testing.T, name string) {
		var log bytes.Buffer
		o := placed(name, Options{Logger: slog.New(slog.NewTextHandler(&log, nil))})
		for _, tt := range []struct {
			name   string
			before func() error
			warned bool
		}{
			{"a new database", func() error { return nil }, false},
			{"with its head file", func() error { return nil }, false},
			{"without", func() error { return os.Remove(HeadFile(name, o.Head)) }, true},
			{"with one again", func() error { return nil }, false},
		} {
			log.Reset()
			if err := tt.before(); err != nil {
				t.Fatal(err)
			}
			db, err := Open(t.Context(), name, o)
			if err != nil {
				t.Fatal(err)
			}
			if err := errors.Join(db.Tx(t.Context(), addRole(tt.name)), db.Close()); err != nil {
				t.Fatal(err)
			}
			if got := strings.Contains(log.String(), "the head file is missing"); got != tt.warned {
				t.Errorf("%s: logged %q", tt.name, &log)
			}
		}
	})
}
