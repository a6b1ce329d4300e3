package store_test

import (
	"context"
	"errors"
	"path/filepath"
	"testing"

	"countersign/domain"
	"countersign/domain/evidence"
	"countersign/store"
)

// What is cached of rights ends with the transaction that changes them,
// whoever makes it: this process, another one, or one that is undone.
func TestAccessCache_ChangesHoldAtOnce(t *testing.T) {
	t.Parallel()
	for name, database := range map[string]string{"SQLite": filepath.Join(t.TempDir(), "countersign.db"), "PostgreSQL": postgres(t)} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := files(t)
			rightsHold(t, open(t, database, o), open(t, database, o))
		})
	}
}

func rightsHold(t *testing.T, here, other *store.DB) {
	t.Helper()
	role := &domain.Role{ID: "r", Name: "first"}
	rename := func(db *store.DB, name string, fail error) error {
		return db.Tx(t.Context(), func(tx domain.Tx) error {
			if err := tx.UpdateRole(&domain.Role{ID: "r", Name: name}); err != nil {
				return err
			}
			if _, err := tx.Role("r"); err != nil { // as it would be
				return err
			}
			return errors.Join(fail, tx.Append(&evidence.Entry{Type: "role.modified"}))
		})
	}
	named := func(db *store.DB, want string) {
		t.Helper()
		check := func(r domain.Reader) error {
			got, err := r.Role("r")
			if err == nil && got.Name != want {
				t.Errorf("the role is named %q, want %q", got.Name, want)
			}
			return err
		}
		for range 2 * 8 { // every connection that reads
			if err := db.View(t.Context(), check); err != nil {
				t.Error(err)
			}
		}
		if err := db.Tx(t.Context(), func(tx domain.Tx) error { return check(tx) }); err != nil {
			t.Error(err)
		}
	}
	absent := func(r domain.Reader) error {
		if _, err := r.Role("r"); !errors.Is(err, domain.ErrNotFound) {
			t.Errorf("the role before it is made: %v, want %v", err, domain.ErrNotFound)
		}
		return nil
	}
	if err := errors.Join(here.View(t.Context(), absent), other.View(t.Context(), absent)); err != nil {
		t.Fatal(err)
	}
	err := here.Tx(context.Background(), func(tx domain.Tx) error {
		return errors.Join(absent(tx), tx.InsertRole(role), tx.Append(&evidence.Entry{Type: "role.created"}))
	})
	if err != nil {
		t.Fatal(err)
	}
	named(here, "first")
	named(other, "first")
	if err := rename(here, "second", nil); err != nil {
		t.Fatal(err)
	}
	named(here, "second")
	named(other, "second")
	if err := rename(other, "third", nil); err != nil {
		t.Fatal(err)
	}
	named(here, "third")
	undone := errors.New("undone")
	if err := rename(here, "never", undone); !errors.Is(err, undone) {
		t.Fatalf("the update that was to be undone: %v", err)
	}
	named(here, "third")
	named(other, "third")
}
