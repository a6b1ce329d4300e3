package store

import (
	"path/filepath"
	"sync"
	"testing"

	"countersign/store/postgrestest"
)

// both runs a test on each database, new and empty.
func both(t *testing.T, test func(t *testing.T, db string)) {
	t.Parallel()
	for name, create := range map[string]func(*testing.T) string{"SQLite": tempFile, "PostgreSQL": tempDatabase} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, create(t))
		})
	}
}

// outside are the directories with the files of PostgreSQL databases, by URL.
var outside sync.Map

// tempDatabase is a PostgreSQL database of this program's schema.
func tempDatabase(t *testing.T) string {
	t.Helper()
	db := postgrestest.Made(t, func(url string) error {
		return openTest(t, url, Options{SigningKey: filepath.Join(t.TempDir(), "key")}).Close()
	})
	outside.Store(db, t.TempDir())
	return db
}

// keyOf is where a test's database has its signing key.
func keyOf(db string) string {
	if dir, ok := outside.Load(db); ok {
		return filepath.Join(dir.(string), "key")
	}
	return KeyFile(db, "")
}

// placed are the options with the files of a test's database in their place.
func placed(db string, o Options) Options {
	if dir, ok := outside.Load(db); ok {
		o.SigningKey, o.Head = keyOf(db), filepath.Join(dir.(string), "head")
	}
	return o
}
