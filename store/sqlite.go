package store

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net/url"
	"os"
	"path/filepath"
	"time"
)

// sqlite is a database in a file.
type sqlite struct {
	path    string
	file    os.FileInfo // as it was when it was opened to be written
	version int64       // of the file when it was looked at last
	hasty   bool        // see Options
	steps   []Migration // for tests; nil: this program's
}

//go:embed migrations/sqlite/*.sql
var sqliteFiles embed.FS

var sqliteMigrations = loadMigrations(sqliteFiles, "migrations/sqlite")

var sqliteWords = words{
	begin:     `BEGIN IMMEDIATE`,
	beginRead: `BEGIN`,
	version:   `PRAGMA data_version`,
	record: `CREATE TABLE IF NOT EXISTS schema_migrations (
	number     INTEGER PRIMARY KEY,
	name       TEXT NOT NULL,
	checksum   TEXT NOT NULL,
	applied_at INTEGER
) STRICT`,
	tables:  `SELECT COUNT(*) FROM sqlite_schema WHERE name = $1`,
	columns: `SELECT name FROM pragma_table_info($1)`,
}

func (d *sqlite) label() string { return d.path }

func (d *sqlite) words() *words { return &sqliteWords }

func (d *sqlite) migrations() []Migration {
	if d.steps != nil {
		return d.steps
	}
	return sqliteMigrations
}

func (d *sqlite) readers() int { return 4 }

// outlives is false: whether a commit that the disk failed is on it shows only
// when the file is opened again.
func (d *sqlite) outlives() bool { return false }

// abort ends nothing: a file does not answer late.
func (d *sqlite) abort() {}

// caution has nothing to say: how a file is written is this program's to say.
func (d *sqlite) caution(*conn, *slog.Logger) error { return nil }

func (d *sqlite) listen(context.Context, func()) {}

func (d *sqlite) moved(c *conn) (bool, error) {
	before := d.version
	err := c.row(`PRAGMA data_version`, nil, &d.version)
	return d.version != before, err
}

func (d *sqlite) create() (err error) {
	if err = createFile(d.path); err == nil {
		d.file, err = os.Stat(d.path)
	}
	return err
}

func (d *sqlite) connect(ctx context.Context, u use) (session, error) {
	switch u {
	case writes:
		return d.connectWriting(ctx)
	case audits:
		return d.connectAuditing()
	}
	if _, err := os.Stat(d.path); err != nil {
		return nil, err
	}
	return d.open(d.path, readSettings())
}

func (d *sqlite) open(path string, settings url.Values) (*sqliteSession, error) {
	name, err := dsn(path, settings)
	if err != nil {
		return nil, err
	}
	return openSQLite(name)
}

// connectWriting opens the connection that writes. Two processes that turn a
// new file into one with a write-ahead log disturb each other whatever the
// timeout, so the loser tries again.
func (d *sqlite) connectWriting(ctx context.Context) (session, error) {
	const attempts, pause = 100, 50 * time.Millisecond
	for i := 1; ; i++ {
		s, err := d.open(d.path, d.writeSettings())
		if err == nil {
			if err = s.gatherJournal(); err == nil {
				return s, nil
			}
			_ = s.close() // nothing is open on it
		}
		if !busy(err) || i == attempts {
			return nil, err
		}
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// dsn names a database file. Settings stand in it because a PRAGMA that is
// executed reaches one connection of a pool only.
func dsn(path string, settings url.Values) (string, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	name := url.URL{Scheme: "file", Path: path, RawQuery: settings.Encode()}
	return name.String(), nil
}

// writeSettings are for the one connection that writes, which looks again
// for as long as it waits for others (conn.begin). Pages stay as small as
// they are by default, 4 KiB: a commit writes each that it changed, and with
// those of 8 KiB one client alone was slower by a seventh. Savepoints copy the
// pages they may have to restore to a temporary file, which cost a fifth of the
// writer's time until it was kept in memory; the cache, in KiB, holds the pages
// of a full group. What is deleted is overwritten, so that content that was
// forgotten is not in the file any more.
func (d *sqlite) writeSettings() url.Values {
	synchronous := "synchronous(FULL)"
	if d.hasty {
		synchronous = "synchronous(NORMAL)"
	}
	return url.Values{"_pragma": {
		fmt.Sprintf("busy_timeout(%d)", lockGlance.Milliseconds()), "journal_mode(WAL)", synchronous,
		"foreign_keys(1)", "trusted_schema(0)", "temp_store(MEMORY)", "wal_autocheckpoint(0)", "cache_size(-16384)", "secure_delete(1)",
	}}
}

// readSettings are for connections that must not write. They do not map the file
// into memory: it would be mapped anew after every commit, and each of its pages
// fault again, which doubled what a look costs that follows a commit.
func readSettings() url.Values {
	return url.Values{"_pragma": {
		"busy_timeout(10000)", "trusted_schema(0)", "query_only(1)",
	}}
}

// createFile makes a missing database file, readable by its owner alone. The
// database would make it readable by all; its journal takes over the mode.
func createFile(path string) error {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	if err != nil {
		return err
	}
	return f.Close()
}
