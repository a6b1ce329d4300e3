package store

import (
	"context"
	"database/sql"
	"errors"
	"testing"
)

// lock takes the lock of a file as another process that writes does, until
// release is called.
func lock(t *testing.T, path string) (release func()) {
	t.Helper()
	pool, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	other, err := pool.Conn(t.Context())
	if err == nil {
		_, err = other.ExecContext(t.Context(), "BEGIN IMMEDIATE")
	}
	if err != nil {
		t.Fatal(err)
	}
	return func() {
		if err := errors.Join(other.Close(), pool.Close()); err != nil {
			t.Error(err)
		}
	}
}

// Who waits for another process that writes goes on when it is done, however
// often the file was looked at in vain.
func TestLock_IsWaitedFor(t *testing.T) {
	t.Parallel()
	path := tempFile(t)
	db := openTest(t, path, Options{})
	db.writer.between(func() {
		if err := db.writer.c.script("PRAGMA busy_timeout = 0"); err != nil {
			t.Error(err)
		}
	})
	release := lock(t, path)
	go release()
	if err := add(t, db, "a"); err != nil {
		t.Error(err)
	}
}

// A database that is closed waits for nobody's lock any more.
func TestClose_EndsWaitingForALock(t *testing.T) {
	t.Parallel()
	path := tempFile(t)
	db := openTest(t, path, Options{})
	defer lock(t, path)()
	waiting, answered := make(chan struct{}), make(chan error, 1)
	go db.writer.between(func() {
		close(waiting)
		answered <- db.writer.begin()
	})
	<-waiting
	if err := db.Close(); err != nil {
		t.Error(err)
	}
	if err := <-answered; !busy(err) || !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want one that says that it was ended", err)
	}
}
