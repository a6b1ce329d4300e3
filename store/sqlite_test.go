package store_test

import (
	"context"
	"encoding/binary"
	"os"
	"path/filepath"
	"testing"

	"countersign/store"
	"countersign/store/storetest"
)

func TestSQLite(t *testing.T) {
	t.Parallel()
	storetest.Run(t, func(t *testing.T) storetest.Store {
		return open(t, filepath.Join(t.TempDir(), "countersign.db"), store.Options{})
	})
}

// open opens a database that is closed when the test ends.
func open(t *testing.T, path string, o store.Options) *store.DB {
	t.Helper()
	db, err := store.Open(context.Background(), path, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Errorf("Close: %v", err)
		}
	})
	return db
}

// The page size counts only while a file is empty.
func TestSQLite_Pages(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "countersign.db")
	open(t, path, store.Options{})
	file, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if size := binary.BigEndian.Uint16(file[16:]); size != 8192 { // where SQLite's file format keeps it
		t.Errorf("pages have %d bytes, want 8192", size)
	}
}
