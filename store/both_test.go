package store

import (
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"

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

// inPostgreSQL says in PostgreSQL's words what tests say in SQLite's.
var inPostgreSQL = strings.NewReplacer(
	"x'00'", `'\x00'::bytea`,
	"x'01'", `'\x01'::bytea`,
	"zeroblob(32)", "decode(repeat('00', 32), 'hex')",
	"DROP TRIGGER log_hashes_no_delete", "DROP TRIGGER log_hashes_append_only ON log_hashes",
	"DROP TRIGGER log_hashes_no_update", "DROP TRIGGER log_hashes_append_only ON log_hashes",
	"DROP TRIGGER log_no_delete", "DROP TRIGGER log_append_only ON log",
	"DROP TRIGGER log_no_update", "DROP TRIGGER log_append_only ON log",
)

func meddlePostgreSQL(t *testing.T, url, text string) error {
	t.Helper()
	c, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	_, err = c.Exec(t.Context(), text)
	if closed := c.Close(t.Context()); closed != nil {
		t.Error(closed)
	}
	return err
}
