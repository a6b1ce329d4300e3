package store_test

import (
	"errors"
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"countersign/domain"
	"countersign/domain/evidence"
	"countersign/store"
)

// A list shows what was committed before, whoever wrote it.
func TestReads_ListsAreNeverStale(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "countersign.db")
	here, other := open(t, path, store.Options{}), open(t, path, store.Options{})
	c := &domain.Confirm{ID: "c", TargetType: domain.TargetOther, Status: domain.Pending, RequestedGroup: "g", ContentHash: "sha256:c", ReceivedAt: time.Unix(1, 0)}
	write := func(change func(domain.Tx) error) {
		t.Helper()
		err := other.Tx(t.Context(), func(tx domain.Tx) error {
			if err := change(tx); err != nil {
				return err
			}
			return tx.Append(&evidence.Entry{Type: "test"})
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	listed := func(f domain.ConfirmFilter, want ...string) {
		t.Helper()
		for range 2 * 4 { // every connection that reads, twice
			err := here.View(t.Context(), func(r domain.Reader) error {
				list, _, err := r.Confirms(f, domain.Page{})
				var got []string
				for _, row := range list {
					got = append(got, fmt.Sprint(row.ID, " ", row.Status))
				}
				if diff := cmp.Diff(want, got); diff != "" {
					t.Errorf("(-want +got):\n%s", diff)
				}
				return err
			})
			if err != nil {
				t.Error(err)
			}
		}
	}
	all := domain.ConfirmFilter{Visible: domain.Visibility{All: true}}
	listed(all)
	write(func(tx domain.Tx) error {
		return tx.InsertConfirm(c, &domain.ConfirmContent{Salt: []byte("s"), Content: []byte("{}")})
	})
	listed(all, "c pending")
	listed(domain.ConfirmFilter{Visible: domain.Visibility{Group: "another"}})
	c.Status, c.DecidedSeq = domain.Approved, 1
	write(func(tx domain.Tx) error { return tx.FinishConfirm(c) })
	listed(all, "c approved")
	listed(domain.ConfirmFilter{Status: domain.Pending, Visible: domain.Visibility{All: true}})
}

// A session that was ended, or used, is so for all at once, whoever did it.
func TestReads_SessionsEndAtOnce(t *testing.T) {
	t.Parallel()
	for name, database := range map[string]string{"SQLite": filepath.Join(t.TempDir(), "countersign.db"), "PostgreSQL": postgres(t)} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := files(t)
			here, other := open(t, database, o), open(t, database, o)
			session := &domain.Session{Hash: []byte("hash"), UserID: "u", CreatedAt: time.Unix(1, 0).UTC(), SeenAt: time.Unix(1, 0).UTC()}
			change := func(by *store.DB, fn func(domain.Tx) error) {
				t.Helper()
				if err := by.Tx(t.Context(), fn); err != nil {
					t.Fatal(err)
				}
			}
			seen := func(want *domain.Session, missing error) {
				t.Helper()
				for range 2 * 8 { // every connection that reads, twice
					var got *domain.Session
					err := here.View(t.Context(), func(r domain.Reader) (err error) {
						got, err = r.Session([]byte("hash"))
						return err
					})
					if diff := cmp.Diff(want, got); diff != "" || !errors.Is(err, missing) {
						t.Errorf("%v, want %v (-want +got):\n%s", err, missing, diff)
					}
				}
			}
			seen(nil, domain.ErrNotFound)
			change(other, func(tx domain.Tx) error { return tx.InsertSession(session) })
			seen(session, nil)
			session.SeenAt = time.Unix(60, 0).UTC()
			change(here, func(tx domain.Tx) error { return tx.TouchSession(session) })
			seen(session, nil)
			change(other, func(tx domain.Tx) error { return tx.DeleteSession(session.Hash) })
			seen(nil, domain.ErrNotFound)
		})
	}
}
