package store_test

import (
	"context"
	"database/sql"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"countersign/domain"
	"countersign/domain/evidence"
	"countersign/store"
	"countersign/store/postgrestest"
)

// rowsOf are the digests of all rows that the log covers.
func rowsOf(t *testing.T, db *store.DB) map[string]string {
	t.Helper()
	rows := map[string]string{}
	err := db.Rows(t.Context(), func(table, key string, digest []byte) error {
		rows[table+" "+key] = string(digest)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return rows
}

// Text that PostgreSQL cannot hold as it is comes back as it was, with the same
// digests, whether it was written there or moved there.
func TestTextOfEveryKind(t *testing.T) {
	t.Parallel()
	names := []string{"\x00", "a\x00b", "\x1b", "\x1b00", "\x1b\x1b\x00", "\xff\xfe", "\u2028\U0010FFFF", "’", "\x1bzz"}
	fill := func(db *store.DB) {
		t.Helper()
		for i, name := range names {
			err := db.Tx(context.Background(), func(tx domain.Tx) error {
				id := string(rune('a' + i))
				if err := tx.InsertRole(&domain.Role{ID: id, Name: name, Description: name, Native: []byte(name), CreatedAt: time.UnixMicro(1)}); err != nil {
					return err
				}
				return tx.Append(&evidence.Entry{Type: "role.created", ObjectID: id})
			})
			if err != nil {
				t.Fatalf("%q: %v", name, err)
			}
		}
	}
	file, database, moved := filepath.Join(t.TempDir(), "from.db"), postgres(t), postgrestest.Database(t)
	lite, pg := open(t, file, store.Options{}), open(t, database, files(t))
	fill(lite)
	fill(pg)
	want := rowsOf(t, lite)
	if len(want) != len(names) {
		t.Fatalf("%d rows", len(want))
	}
	o := files(t)
	if _, err := store.Move(t.Context(), file, moved, o); err == nil || !strings.Contains(err.Error(), "in use") {
		t.Errorf("moving a file that is in use: %v", err)
	}
	if err := lite.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := store.Move(t.Context(), file, moved, o); err != nil {
		t.Fatal(err)
	}
	for how, db := range map[string]*store.DB{"written": pg, "moved": open(t, moved, o)} {
		if diff := cmp.Diff(want, rowsOf(t, db)); diff != "" {
			t.Errorf("%s (-SQLite +PostgreSQL):\n%s", how, diff)
		}
		err := db.View(t.Context(), func(r domain.Reader) error {
			for i, name := range names {
				role, err := r.RoleByName(name)
				if err != nil || role.Name != name || role.ID != string(rune('a'+i)) {
					t.Errorf("%s: %q reads as %+v (%v)", how, name, role, err)
				}
			}
			return nil
		})
		if err != nil {
			t.Error(err)
		}
	}
}

// What was moved is not taken for not moved because the head file could not be
// written beside it.
func TestMove_WithoutAPlaceForTheHeadFile(t *testing.T) {
	t.Parallel()
	file, to, o := filepath.Join(t.TempDir(), "from.db"), postgrestest.Database(t), files(t)
	from := open(t, file, store.Options{})
	if err := errors.Join(addRole(from, "moved"), from.Close()); err != nil {
		t.Fatal(err)
	}
	placed := o
	o.Head = filepath.Join(t.TempDir(), "missing", "head")
	if _, err := store.Move(t.Context(), file, to, o); err == nil || !strings.Contains(err.Error(), "everything was moved, but the head file") {
		t.Errorf("error %v", err)
	}
	if !hasRole(t, open(t, to, placed), "moved") {
		t.Error("it was not")
	}
}

// A file that was changed after it was signed is not moved, and what it was to be
// moved to stays empty.
func TestN6_MoveRefusesAChangedFile(t *testing.T) {
	t.Parallel()
	to, o := postgrestest.Database(t), files(t)
	for name, change := range map[string]string{
		"a row":          "UPDATE roles SET capabilities = '[\"*\"]'",
		"a row too many": "INSERT INTO contexts (context_id, canonical_id, locked, requested_by, created_at, entry_seq) VALUES ('c', 'c', 0, 'system', 1, 0)",
		"the log":        "DROP TRIGGER log_no_update; UPDATE log SET type = NULL",
		"a row is gone":  "DELETE FROM roles",
	} {
		file := filepath.Join(t.TempDir(), "from.db")
		from := open(t, file, store.Options{})
		if err := errors.Join(addRole(from, "moved"), from.Close()); err != nil {
			t.Fatal(err)
		}
		db, err := sql.Open("sqlite", file)
		if err == nil {
			_, err = db.Exec(change)
			err = errors.Join(err, db.Close())
		}
		if err != nil {
			t.Fatal(err)
		}
		if _, err := store.Move(t.Context(), file, to, o); !errors.Is(err, store.ErrTampered) || !strings.Contains(err.Error(), "nothing was moved") {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := os.Stat(o.SigningKey); err == nil {
			t.Errorf("%s: the key was moved", name)
		}
	}
	file := filepath.Join(t.TempDir(), "from.db")
	from := open(t, file, store.Options{})
	if err := errors.Join(addRole(from, "moved"), from.Close()); err != nil {
		t.Fatal(err)
	}
	if _, err := store.Move(t.Context(), file, to, o); err != nil { // into what was left empty
		t.Error(err)
	}
}
