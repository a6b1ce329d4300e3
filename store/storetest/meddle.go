package storetest

import (
	"database/sql"
	"errors"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
)

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

// Meddle changes a database behind the program's back. It takes SQLite's words.
func Meddle(t testing.TB, db, text string) error {
	t.Helper()
	if strings.HasPrefix(db, "postgres://") {
		c, err := pgx.Connect(t.Context(), db)
		if err != nil {
			t.Fatal(err)
		}
		_, err = c.Exec(t.Context(), inPostgreSQL.Replace(text))
		return errors.Join(err, c.Close(t.Context()))
	}
	pool, err := sql.Open("sqlite", db)
	if err != nil {
		t.Fatal(err)
	}
	_, err = pool.Exec(text)
	return errors.Join(err, pool.Close())
}
