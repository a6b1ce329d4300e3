package store

import (
	"context"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"countersign/domain/evidence"
)

// What another process writes is published too, in the log's order and once,
// whether this process writes meanwhile or not. The bubble also proves that
// Close leaves no goroutine behind: it would wait for it.
func TestOtherWriters(t *testing.T) {
	path := tempFile(t)
	synctest.Test(t, func(t *testing.T) {
		heard := make(chan string, 100)
		db := openTest(t, path, Options{Committed: func(entries []*evidence.Entry) {
			for _, e := range entries {
				heard <- e.ObjectID
			}
		}})
		other := openTest(t, path, Options{})
		add := func(db *DB, ids ...string) {
			for _, id := range ids {
				if err := db.Tx(context.Background(), addRole(id)); err != nil {
					t.Fatal(err)
				}
			}
		}
		expect := func(want ...string) {
			t.Helper()
			var got []string
			for range want {
				got = append(got, <-heard)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("published (-want +got):\n%s", diff)
			}
		}
		add(other, "1", "2")
		expect("1", "2") // by polling
		add(other, "3", "4")
		add(db, "5")
		expect("3", "4", "5") // found with the own commit
		add(other, "6")
		expect("6")
		add(db, "7")
		expect("7")
		synctest.Wait()
		if len(heard) > 0 {
			t.Errorf("published again: %s", <-heard)
		}
	})
}

func TestClosed(t *testing.T) {
	t.Parallel()
	db := openTest(t, tempFile(t), Options{})
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	for name, err := range map[string]error{
		"Tx": db.Tx(context.Background(), addRole("late")), "Ready": db.Ready(context.Background()), "Close": db.Close(),
	} {
		if (err == nil) != (name == "Close") {
			t.Errorf("%s after Close: %v", name, err)
		}
	}
}
