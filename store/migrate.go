package store

import (
	"context"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"strconv"
	"strings"
	"time"
)

//go:embed migrations/sqlite/*.sql
var migrationFiles embed.FS

// Migration is one step of the schema.
type Migration struct {
	Number    int
	Name      string
	AppliedAt time.Time // zero: not yet
	checksum  string
	text      string
}

var migrationRecord = newTable("schema_migrations", 1, func(m *Migration) []column {
	return []column{
		{"number", number(&m.Number)},
		{"name", text(&m.Name)},
		{"checksum", text(&m.checksum)},
		{"applied_at", moment(&m.AppliedAt)},
	}
})

const createMigrationRecord = `CREATE TABLE IF NOT EXISTS schema_migrations (
	number     INTEGER PRIMARY KEY,
	name       TEXT NOT NULL,
	checksum   TEXT NOT NULL,
	applied_at INTEGER
) STRICT`

// migrations are this program's, in order. Files are named
// <number>_<name>.sql, numbered from 1 without a gap.
var migrations = loadMigrations()

func loadMigrations() []Migration {
	names, err := fs.Glob(migrationFiles, "migrations/sqlite/*.sql")
	if err != nil {
		panic(err)
	}
	var list []Migration
	for i, name := range names {
		data, err := migrationFiles.ReadFile(name)
		if err != nil {
			panic(err)
		}
		prefix, rest, _ := strings.Cut(path.Base(name), "_")
		if n, err := strconv.Atoi(prefix); err != nil || n != i+1 {
			panic("migration out of order: " + name)
		}
		sum := sha256.Sum256(data)
		list = append(list, Migration{
			Number: i + 1, Name: strings.TrimSuffix(rest, ".sql"),
			checksum: hex.EncodeToString(sum[:]), text: string(data),
		})
	}
	return list
}

// migrate applies what is missing, each migration in a transaction of its own.
// Two processes may start at once: each looks again under the lock.
func migrate(c *conn, now func() time.Time) error {
	for {
		done, err := migrateOne(c, now)
		if err != nil {
			_, _ = c.exec("ROLLBACK") // the first error says more
			return err
		}
		if done {
			return nil
		}
	}
}

func migrateOne(c *conn, now func() time.Time) (done bool, err error) {
	if _, err := c.exec(sqlBegin); err != nil {
		return false, err
	}
	if _, err := c.exec(createMigrationRecord); err != nil {
		return false, err
	}
	x := &tx{reader: reader{c: c}}
	applied, err := x.migrations()
	if err != nil {
		return false, err
	}
	if err := compatible(applied); err != nil {
		return false, err
	}
	if done = len(applied) == len(migrations); !done {
		m := migrations[len(applied)]
		if now != nil {
			m.AppliedAt = now()
		}
		if _, err := c.sql.ExecContext(context.Background(), m.text); err != nil {
			return false, fmt.Errorf("migration %d (%s): %w", m.Number, m.Name, err)
		}
		if err := migrationRecord.insert(x, &m); err != nil {
			return false, err
		}
	}
	_, err = c.exec("COMMIT")
	return done, err
}

// compatible refuses a schema that this program does not know.
func compatible(applied []*Migration) error {
	if n := len(applied); n > len(migrations) {
		return fmt.Errorf("its schema has number %d, newer than this program's %d: use a newer program", applied[n-1].Number, len(migrations))
	}
	for i, m := range applied {
		if m.Number != i+1 || m.checksum != migrations[i].checksum {
			return fmt.Errorf("its migration %d (%s) is not this program's: the schema was made by something else", m.Number, m.Name)
		}
	}
	return nil
}

func (r *reader) migrations() ([]*Migration, error) { return migrationRecord.all(r, "ORDER BY number") }

// MigrationStatus lists this program's migrations and when each was applied to
// the database file, which it does not change. A file that does not exist has
// none.
func MigrationStatus(ctx context.Context, path string) ([]Migration, error) {
	status := append([]Migration(nil), migrations...)
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return status, nil
	}
	pool, err := openPool(path, 1, readSettings())
	if err != nil {
		return nil, err
	}
	defer func() { _ = pool.Close() }() // it only read
	c, err := openConn(ctx, pool)
	if err != nil {
		return nil, fmt.Errorf("open database %s: %w", path, err)
	}
	defer func() { _ = c.close() }()
	applied, err := appliedMigrations(c)
	if err == nil {
		err = compatible(applied)
	}
	if err != nil {
		return nil, fmt.Errorf("database %s: %w", path, err)
	}
	for i, m := range applied {
		status[i].AppliedAt = m.AppliedAt
	}
	return status, nil
}

// appliedMigrations reads the record of a database that may have none yet.
func appliedMigrations(c *conn) ([]*Migration, error) {
	var tables int
	err := c.row("SELECT COUNT(*) FROM sqlite_schema WHERE name = $1", []any{migrationRecord.name}, &tables)
	if err != nil || tables == 0 {
		return nil, err
	}
	return (&reader{c: c}).migrations()
}
