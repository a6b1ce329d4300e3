package store

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"countersign/domain"
	"countersign/store/driver"
	"countersign/store/sqlite"
)

// What is committed is folded into the file later, behind the writer's back.
func TestCheckpoint_KeepsNobodyWaiting(t *testing.T) {
	path := filepath.Join(t.TempDir(), "countersign.db")
	synctest.Test(t, func(t *testing.T) {
		db := openTest(t, path, Options{Fatal: func(err error) { t.Errorf("fatal: %v", err) }})
		const size = 16 << 20 // more than the database would wait for by itself
		scribble(t, db, size)
		if got := fileSize(t, path); got > size {
			t.Errorf("the file has %d bytes before the journal is folded into it: somebody waited for that", got)
		}
		time.Sleep(sqlite.CheckpointInterval + time.Millisecond)
		synctest.Wait()
		if got := fileSize(t, path); got < size {
			t.Errorf("the file has %d bytes after the journal was to be folded into it, want %d", got, size)
		}
	})
}

// folder is a connection to a file.
type folder interface {
	Fold(limit int, pause func(func())) error
}

// A journal to which there is always something added is begun anew all the
// same.
func TestCheckpoint_BoundsTheJournal(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "countersign.db")
	db := openTest(t, path, Options{})
	s, err := db.driver.Connect(t.Context(), driver.ReadWrite)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.Close() }()
	const size, limit = 64 << 10, 32
	written := make(chan struct{})
	go func() {
		defer close(written)
		for range 128 {
			scribble(t, db, size)
		}
	}()
	for folding := true; folding; {
		pause := func(fn func()) { db.ledger.Pause(func(*driver.Session) { fn() }) }
		if err := s.(folder).Fold(limit, pause); err != nil && !errors.Is(err, driver.ErrBusy) {
			t.Fatal(err)
		}
		select {
		case <-written:
			folding = false
		default:
		}
	}
	if got := fileSize(t, path+"-wal"); got > 4<<20 {
		t.Errorf("the journal of 8 MiB has grown to %d bytes", got)
	}
}

// A file that is gone from its place keeps nothing of what is written to it, and
// one that was cut or written over is not what it was: who writes is refused, and
// the process told to end.
func TestCheckpoint_RefusesToWriteToAFileThatIsGone(t *testing.T) {
	for name, tt := range map[string]struct {
		file   string
		change func(path string) error
	}{
		"removed": {"", os.Remove},
		"moved":   {"", func(path string) error { return os.Rename(path, path+".moved") }},
		"another in its place": {"", func(path string) error {
			return errors.Join(os.WriteFile(path+".other", nil, 0o600), os.Rename(path+".other", path))
		}},
		"its journal removed":         {"-wal", os.Remove},
		"its journal's index removed": {"-shm", os.Remove},
		"cut":                         {"", func(path string) error { return os.Truncate(path, 8192) }},
		"emptied":                     {"", func(path string) error { return os.Truncate(path, 0) }},
		"a copy written over it":      {"", func(path string) error { return os.WriteFile(path, make([]byte, 16384), 0o600) }},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "countersign.db")
			synctest.Test(t, func(t *testing.T) {
				var fatal error
				db := openTest(t, path, Options{Fatal: func(err error) { fatal = err }})
				if err := db.Tx(context.Background(), addRole("before")); err != nil {
					t.Fatal(err)
				}
				pass := func() {
					time.Sleep(sqlite.CheckpointInterval + time.Millisecond)
					synctest.Wait()
				}
				pass() // it is folded in
				pass() // and looked at
				if err := tt.change(path + tt.file); err != nil {
					t.Fatal(err)
				}
				pass()
				if fatal == nil || !strings.Contains(fatal.Error(), "the file "+path+tt.file+" ") {
					t.Errorf("Fatal was told %v, want what happened to %s", fatal, path+tt.file)
				}
				err := db.Tx(context.Background(), addRole("after"))
				if code := domain.ErrorCode(err); code != domain.CodeEvidenceUnavailable {
					t.Errorf("error %v, want %s", err, domain.CodeEvidenceUnavailable)
				}
			})
		})
	}
}

// scribble commits some bytes that mean nothing.
func scribble(t *testing.T, db *DB, size int) {
	t.Helper()
	err := db.Tx(context.Background(), func(x domain.Tx) error {
		_, err := x.(*tx).Conn.Exec(`INSERT INTO volatile_sessions (hash, user_id, created_at, seen_at, browser)
			VALUES (randomblob(16), '', 0, 0, hex(randomblob($1)))`, int64(size/2))
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

func fileSize(t *testing.T, path string) int64 {
	t.Helper()
	info, err := os.Stat(path)
	if errors.Is(err, os.ErrNotExist) {
		return 0
	}
	if err != nil {
		t.Fatal(err)
	}
	return info.Size()
}

// Who reads keeps what was forgotten in the journal; whoever forgot it is told.
func TestEmptyJournal_SaysWhenItCannot(t *testing.T) {
	t.Parallel()
	path := tempFile(t)
	db, other := openTest(t, path, Options{}), openTest(t, path, Options{})
	if err := add(t, db, "first"); err != nil {
		t.Fatal(err)
	}
	err := other.View(t.Context(), func(r domain.Reader) error {
		_, err := r.NextSeq() // what is read is fixed from here on
		if err := errors.Join(err, add(t, db, "second")); err != nil {
			return err
		}
		return db.EmptyJournal()
	})
	if !errors.Is(err, driver.ErrJournalInUse) {
		t.Errorf("error %v, want %v", err, driver.ErrJournalInUse)
	}
	if err := db.EmptyJournal(); err != nil || fileSize(t, path+"-wal") != 0 {
		t.Errorf("the journal has %d bytes (%v), want none", fileSize(t, path+"-wal"), err)
	}
	if err := add(t, other, "third"); err != nil {
		t.Error(err)
	}
}
