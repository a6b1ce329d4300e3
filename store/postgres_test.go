package store_test

import (
	"os"
	"path/filepath"
	"testing"

	"countersign/store"
	"countersign/store/postgrestest"
	"countersign/store/storetest"
)

func TestMain(m *testing.M) { os.Exit(postgrestest.Run(m)) }

func TestPostgreSQL(t *testing.T) {
	t.Parallel()
	storetest.Run(t, false, func(t *testing.T) storetest.Store { return open(t, postgres(t), files(t)) })
}

// postgres is a PostgreSQL database of this program's schema.
func postgres(t *testing.T) string {
	t.Helper()
	return postgrestest.Made(t, func(url string) error {
		db, err := store.Open(t.Context(), url, files(t))
		if err != nil {
			return err
		}
		return db.Close()
	})
}

// files keeps what lies outside of the database in a directory of the test's.
func files(t *testing.T) store.Options {
	dir := t.TempDir()
	return store.Options{SigningKey: filepath.Join(dir, "key"), Head: filepath.Join(dir, "head")}
}
