package store

import (
	"crypto/rand"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"countersign/domain"
	"countersign/domain/evidence"
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
					if err := meddle(t, path, tt.change); err != nil {
						t.Fatal(err)
					}
				}
				report := verified(t, path)
				found := slices.ContainsFunc(report.Findings, func(f string) bool { return strings.Contains(f, tt.want) })
				if report.Verified() != (tt.change == "") || tt.change != "" && !found {
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
		c, err := openConn(t.Context(), &sqlite{path: path}, audits)
		if err != nil {
			t.Fatal(err)
		}
		tt.meanwhile()
		if _, err := auditOver(t.Context(), c, evidence.NewAudit()); !errors.Is(err, tt.want) {
			t.Errorf("%s: %v, want %v", tt.name, err, tt.want)
		}
		if err := c.close(); err != nil {
			t.Error(err)
		}
	}
}
