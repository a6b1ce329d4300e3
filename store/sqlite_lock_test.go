package store

import (
	"database/sql"
	"errors"
	"testing"

	"countersign/store/driver"
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
	db.ledger.Pause(func(s *driver.Session) {
		if err := s.Script("PRAGMA busy_timeout = 0"); err != nil {
			t.Error(err)
		}
	})
	release := lock(t, path)
	go release()
	if err := add(t, db, "a"); err != nil {
		t.Error(err)
	}
}
