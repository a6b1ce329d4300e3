package store

import (
	"testing"
	"testing/synctest"
	"time"

	"countersign/domain"
)

// A disk that has room for the probe and for no change is not said to be writable:
// whoever distributes requests must not send them here. It is, once a change was
// stored, or when nobody has tried for a while.
func TestWritable_AfterAChangeThatDidNotFit(t *testing.T) {
	path := tempFile(t)
	synctest.Test(t, func(t *testing.T) {
		db := openTest(t, path, Options{Now: time.Now})
		writable := func(when string, want bool) {
			t.Helper()
			if err := db.Writable(t.Context()); (err == nil) != want {
				t.Errorf("%s: %v", when, err)
			}
		}
		room := func(pages string) {
			db.writer.between(func() {
				if err := db.writer.c.session.script("PRAGMA max_page_count = " + pages); err != nil {
					t.Error(err)
				}
			})
		}
		grow := func(id string) error {
			return db.Tx(t.Context(), func(tx domain.Tx) error {
				if err := tx.InsertRole(&domain.Role{ID: id, Name: id, Native: make([]byte, 1<<20)}); err != nil {
					return err
				}
				return addRole(id + "-too")(tx)
			})
		}
		writable("at first", true)
		room("1") // more pages than there are are not allowed any more
		if err := grow("a"); domain.ErrorCode(err) != domain.CodeEvidenceUnavailable {
			t.Fatalf("the disk was not full: %v", err)
		}
		writable("after a change that did not fit", false)
		time.Sleep(refusedLately)
		writable("when nobody has tried for a while", true)
		if err := grow("b"); err == nil {
			t.Fatal("the disk was not full")
		}
		room("100000")
		writable("before a change was stored", false)
		if err := grow("c"); err != nil {
			t.Fatal(err)
		}
		writable("after one that was", true)
	})
}
