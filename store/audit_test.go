package store

import (
	"crypto/rand"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"countersign/domain"
	"countersign/domain/evidence"
	"countersign/store/audit"
	"countersign/store/driver"
	"countersign/store/sqlite"
	"countersign/store/storetest"
)

// What something else changes in either database is found, where it is.
func TestTamperedRowsAreFound(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, change, want string // the change: "" is none
	}{
		{"nothing", "", ""},
		{"a row changed", "UPDATE roles SET description = 'x' WHERE role_id = 'r1'", "roles r1"},
		{"a row more", "INSERT INTO user_roles (user_id, role_id, position, entry_seq) VALUES ('u', 'r2', 1, 0)", "user_roles u/r2"},
		{"a row less", "DELETE FROM user_roles", "user_roles u/r1"},
		{"a column of the log", "DROP TRIGGER log_no_update; UPDATE log SET object_id = 'x' WHERE seq = 0", "log entry 0"},
		{"a leaf's hash", "DROP TRIGGER log_no_update; UPDATE log SET hash = zeroblob(32) WHERE seq = 1", "log entry 1"},
		{"a hash", "DROP TRIGGER log_hashes_no_update; UPDATE log_hashes SET hash = zeroblob(32) WHERE idx = 1", "tree hash 1"},
		{"a hash less", "DROP TRIGGER log_hashes_no_delete; DELETE FROM log_hashes WHERE idx = 2", "the last 1 hashes"},
		{"hashes before the first", "INSERT INTO log_hashes SELECT idx - 9, hash FROM log_hashes WHERE idx < 2", "tree hash -9"},
		{"the size", "UPDATE log_head SET size = 9", "checkpoint"},
		{"the end", "DROP TRIGGER log_no_delete; DELETE FROM log WHERE seq = 1", "checkpoint"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			both(t, func(t *testing.T, path string) {
				db := openTest(t, path, Options{})
				err := db.Tx(t.Context(), func(tx domain.Tx) error {
					for _, id := range []string{"r1", "r2"} {
						if err := addRole(id)(tx); err != nil {
							return err
						}
					}
					if err := tx.InsertUser(&domain.User{ID: "u", Name: "u", Roles: []string{"r1"}, CreatedAt: time.UnixMicro(1)}); err != nil {
						return err
					}
					err := tx.Append(&evidence.Entry{Type: "user.created", ObjectID: "u"})
					for range 39 { // so that there are three inner nodes of the tree
						err = errors.Join(err, tx.Append(&evidence.Entry{Type: "user.password_set", ObjectID: "u"}))
					}
					return err
				})
				if err != nil {
					t.Fatal(err)
				}
				if tt.change != "" {
					if err := storetest.Meddle(t, path, tt.change); err != nil {
						t.Fatal(err)
					}
				}
				report := verified(t, path)
				found := slices.ContainsFunc(report.Findings, func(f string) bool { return strings.Contains(f, tt.want) })
				if report.IsVerified() != (tt.change == "") || tt.change != "" && !found {
					t.Errorf("findings %q, want %q", report.Findings, tt.want)
				}
			})
		})
	}
}

// A file that nobody has open is read without locks. Who begins to write to it
// meanwhile makes nothing of it look tampered with.
func TestAudit_FileThatChangesMeanwhile(t *testing.T) {
	t.Parallel()
	path := tempFile(t)
	write := func() {
		t.Helper()
		db, err := Open(t.Context(), path, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(add(t, db, rand.Text()), db.Close()); err != nil {
			t.Fatal(err)
		}
	}
	write()
	for _, tt := range []struct {
		name      string
		meanwhile func()
		want      error
	}{
		{"nothing happens", func() {}, nil},
		{"a server writes, and stops", write, ErrChanged},
		{"a server starts", func() { openTest(t, path, Options{}) }, ErrChanged},
		{"a server runs, and writes", write, nil},
	} {
		c, err := driver.Open(t.Context(), &sqlite.Driver{Path: path}, driver.Admin)
		if err != nil {
			t.Fatal(err)
		}
		tt.meanwhile()
		a := evidence.NewAudit()
		if _, err := audit.Database(t.Context(), c, auditRecords(a), a); !errors.Is(err, tt.want) {
			t.Errorf("%s: %v, want %v", tt.name, err, tt.want)
		}
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	}
}

// An index that does not hold what its table does is found, whether the log
// covers the table or not.
func TestIndexes_AreHeldToTheirTables(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, index, change string // made while the database does not know of the index
	}{
		{"a row is missing", "volatile_sessions_user", "INSERT INTO volatile_sessions (hash, user_id, created_at, seen_at) VALUES (x'02', 'u', 1, 1)"},
		{"a row too many", "volatile_sessions_user", "DELETE FROM volatile_sessions"},
		{"a row is another", "volatile_sessions_user", "UPDATE volatile_sessions SET user_id = 'v'"},
		{"of the log", "log_object", "DROP TRIGGER log_no_update; UPDATE log SET object_id = 'x'"},
		{"a row is in it now", "log_confirm", "DROP TRIGGER log_no_update; UPDATE log SET confirm_id = 'x'"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			path := tempFile(t)
			db := openTest(t, path, Options{})
			if err := db.Tx(t.Context(), addRole("r1")); err != nil {
				t.Fatal(err)
			}
			for _, change := range []string{
				"INSERT INTO volatile_sessions (hash, user_id, created_at, seen_at) VALUES (x'01', 'u', 1, 1)",
				"CREATE TABLE hidden AS SELECT * FROM sqlite_schema WHERE name = '" + tt.index + "'",
				"PRAGMA writable_schema = ON; DELETE FROM sqlite_schema WHERE name = '" + tt.index + "'",
				tt.change,
				"PRAGMA writable_schema = ON; INSERT INTO sqlite_schema SELECT * FROM hidden",
				"DROP TABLE hidden",
			} {
				if err := storetest.Meddle(t, path, change); err != nil {
					t.Fatal(err)
				}
			}
			want := "index " + tt.index + ": it does not hold the rows of its table"
			if report := verified(t, path); !slices.Contains(report.Findings, want) {
				t.Errorf("findings %q, want %q", report.Findings, want)
			}
		})
	}
}

// Every index of the schema is held to its table, but for those that are the
// table.
func TestIndexes_AreAllKnown(t *testing.T) {
	t.Parallel()
	db := openTest(t, tempFile(t), Options{})
	err := db.view(t.Context(), func(r *reader) error {
		want, err := r.strings("SELECT name FROM sqlite_schema WHERE type = 'index' ORDER BY name")
		if err != nil {
			return err
		}
		indexes, err := db.driver.Indexes(r.Conn.Conn)
		var got []string
		for table, of := range indexes {
			for _, i := range of.Indexes {
				got = append(got, i.Name)
				if i.Keys == 0 || len(i.Columns) < i.Keys || slices.Contains(i.Columns, "") || strings.HasPrefix(i.Name, "sqlite_") && !i.Unique {
					t.Errorf("%s of %s: %+v", i.Name, table, i)
				}
			}
		}
		slices.Sort(got)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("indexes (-schema +known):\n%s", diff)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}
