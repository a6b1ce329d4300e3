// Package sqlite is the driver of a database in a file.
package sqlite

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

	"countersign/store/driver"
)

// Driver is a database in a file.
type Driver struct {
	Path string
	// RelaxedSync has commits not wait for the disk, for tests alone.
	RelaxedSync bool
	// Steps are other migrations, for tests; nil: this program's.
	Steps []driver.Migration

	file    os.FileInfo // as it was when it was opened to be written
	version int64       // of the file when it was looked at last
}

//go:embed migrations/*.sql
var files embed.FS

var migrations = driver.LoadMigrations(files)

const (
	// writerPoll is how long the one that writes waits for a lock before it looks
	// whether it still should (driver.Session.Begin).
	writerPoll = 100 * time.Millisecond
	// readerTimeout is how long others wait for one.
	readerTimeout = 10 * time.Second
	// truncateTimeout is how long readers may keep the journal from being truncated.
	truncateTimeout = time.Second
	// exclusiveTimeout is how long a file may be in use that nobody else is to have.
	exclusiveTimeout = time.Second
	// Two processes that turn a new file into one with a write-ahead log disturb each
	// other whatever the timeout, so the loser tries again.
	openAttempts, openPause = 100, 50 * time.Millisecond
)

var statements = driver.SQL{
	Begin:     `BEGIN IMMEDIATE`,
	BeginRead: `BEGIN`,
	Record: `CREATE TABLE IF NOT EXISTS schema_migrations (
	number     INTEGER PRIMARY KEY,
	name       TEXT NOT NULL,
	checksum   TEXT NOT NULL,
	applied_at INTEGER
) STRICT`,
	Tables:  `SELECT COUNT(*) FROM sqlite_schema WHERE name = $1`,
	Columns: `SELECT name FROM pragma_table_info($1)`,
}

func (d *Driver) Name() string { return d.Path }

func (d *Driver) SQL() *driver.SQL { return &statements }

func (d *Driver) Migrations() []driver.Migration {
	if d.Steps != nil {
		return d.Steps
	}
	return migrations
}

func (d *Driver) Readers() int { return 4 }

// SurvivesLostConn is false: whether a commit that the disk failed is on it shows
// only when the file is opened again.
func (d *Driver) SurvivesLostConn() bool { return false }

// Interrupt ends nothing: a file does not answer late.
func (d *Driver) Interrupt() {}

// Warn has nothing to say: how a file is written is this program's to say.
func (d *Driver) Warn(driver.Conn, *slog.Logger) error { return nil }

func (d *Driver) HasForeignCommits(c driver.Conn) (bool, error) {
	before := d.version
	err := c.Query(`PRAGMA data_version`, nil, func(r driver.Row) error { return r.Scan(&d.version) })
	return d.version != before, err
}

func (d *Driver) Create() (err error) {
	if err = createFile(d.Path); err == nil {
		d.file, err = os.Stat(d.Path)
	}
	return err
}

func (d *Driver) Connect(ctx context.Context, mode driver.Mode) (driver.Conn, error) {
	switch mode {
	case driver.ReadWrite:
		return d.connectWriting(ctx)
	case driver.Admin:
		return connectAuditing(d.Path)
	}
	if _, err := os.Stat(d.Path); err != nil {
		return nil, err
	}
	return open(d.Path, readSettings())
}

func open(path string, settings url.Values) (*conn, error) {
	name, err := dsn(path, settings)
	if err != nil {
		return nil, err
	}
	return openName(name)
}

func (d *Driver) connectWriting(ctx context.Context) (driver.Conn, error) {
	for i := 1; ; i++ {
		c, err := open(d.Path, d.writeSettings())
		if err == nil {
			return c, nil
		}
		if !errors.Is(err, driver.ErrBusy) || i == openAttempts {
			return nil, err
		}
		select {
		case <-time.After(openPause):
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// OpenExclusive opens a file that nobody else has open, and keeps it so.
func (d *Driver) OpenExclusive() (driver.Conn, error) {
	return open(d.Path, url.Values{"mode": {"rw"}, "_pragma": {
		"locking_mode(EXCLUSIVE)", busyTimeout(exclusiveTimeout), "trusted_schema(0)", "cache_size(-65536)",
	}})
}

func busyTimeout(timeout time.Duration) string {
	return fmt.Sprintf("busy_timeout(%d)", timeout.Milliseconds())
}

// safe are the settings of every connection. Double quotes are for names alone, and
// the schema cannot be written to as if it were a table.
const safe = "_dqs=0&_defensive=1"

// dsn names a database file. Settings stand in it because a PRAGMA that is
// executed reaches one connection of a pool only.
func dsn(path string, settings url.Values) (string, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	name := url.URL{Scheme: "file", Path: path, RawQuery: settings.Encode() + "&" + safe}
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
func (d *Driver) writeSettings() url.Values {
	synchronous := "synchronous(FULL)"
	if d.RelaxedSync {
		synchronous = "synchronous(NORMAL)"
	}
	return url.Values{"mode": {"rw"}, "_pragma": {
		busyTimeout(writerPoll), "journal_mode(WAL)", synchronous,
		"foreign_keys(1)", "trusted_schema(0)", "temp_store(MEMORY)", "wal_autocheckpoint(0)", "cache_size(-16384)", "secure_delete(1)",
	}}
}

// readSettings are for connections that must not write. They do not map the file
// into memory: it would be mapped anew after every commit, and each of its pages
// fault again, which doubled what a look costs that follows a commit.
func readSettings() url.Values {
	return url.Values{"mode": {"rw"}, "_pragma": {
		busyTimeout(readerTimeout), "trusted_schema(0)", "query_only(1)",
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
