package store

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"countersign/domain"
)

// TestObserved: an observer hears of every group, with what it took and
// whether it was committed.
func TestObserved(t *testing.T) {
	path := tempFile(t)
	synctest.Test(t, func(t *testing.T) {
		var seen []Group
		db := openTest(t, path, Options{Now: time.Now, Observed: func(g Group) { seen = append(seen, g) }})
		together(t, db, addRole("kept"), func(domain.Tx) error { return errors.New("refused by a rule") }, func(domain.Tx) error {
			time.Sleep(3 * time.Second)
			return nil
		})
		together(t, db, addRole("lost"), func(x domain.Tx) error {
			_, err := x.(*tx).Conn.Exec("ROLLBACK")
			return err
		})
		type group struct {
			Members, Entries int
			Waited, Took     time.Duration
			Failed           bool
		}
		var got []group
		for _, g := range seen {
			got = append(got, group{g.Members, len(g.Entries), g.Waited, g.Took, g.Err != nil})
		}
		want := []group{{Members: 1}, {Members: 3, Entries: 1, Took: 3 * time.Second}, {Members: 1}, {Members: 2, Failed: true}}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		held := make(chan struct{})
		go func() {
			_ = db.Tx(t.Context(), func(domain.Tx) error { close(held); time.Sleep(time.Second); return nil })
		}()
		<-held
		if err := db.Tx(t.Context(), addRole("late")); err != nil {
			t.Fatal(err)
		}
		if waited := seen[len(seen)-1].Waited; waited != time.Second {
			t.Errorf("waited %v, want the second for which the writer was held", waited)
		}
	})
}
