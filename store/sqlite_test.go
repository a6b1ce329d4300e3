package store_test

import (
	"context"
	"path/filepath"
	"testing"

	"countersign/store"
	"countersign/store/storetest"
)

func TestSQLite(t *testing.T) {
	t.Parallel()
	storetest.Run(t, true, func(t *testing.T) storetest.Store {
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
