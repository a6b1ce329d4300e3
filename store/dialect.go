package store

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"time"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// What only SQLite says this way.
const (
	sqlBegin       = `BEGIN IMMEDIATE`
	sqlBeginRead   = `BEGIN`
	sqlDataVersion = `PRAGMA data_version`
)

// readers is the number of connections that read.
const readers = 4

// dsn names a database file. Settings stand in it because a PRAGMA that is
// executed reaches one connection of a pool only.
func dsn(path string, settings url.Values) (string, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	settings.Set("_dqs", "0")
	settings.Set("_defensive", "1")
	name := url.URL{Scheme: "file", Path: path, RawQuery: settings.Encode()}
	return name.String(), nil
}

// writeSettings are for the one connection that writes. The page size counts
// only while the file is empty, so it comes before the journal mode. Savepoints
// copy the pages they may have to restore to a temporary file, which cost a
// fifth of the writer's time until it was kept in memory; the cache, in KiB,
// holds the pages of a full group. What is deleted is overwritten, so that
// content that was forgotten is not in the file any more.
func writeSettings() url.Values {
	return url.Values{"_txlock": {"immediate"}, "_pragma": {
		"busy_timeout(10000)", "page_size(8192)", "journal_mode(WAL)", "synchronous(FULL)",
		"foreign_keys(1)", "trusted_schema(0)", "temp_store(MEMORY)", "cache_size(-16384)", "secure_delete(1)",
	}}
}

// readSettings are for connections that must not write.
func readSettings() url.Values {
	return url.Values{"_pragma": {
		"busy_timeout(10000)", "trusted_schema(0)", "query_only(1)", "mmap_size(268435456)",
	}}
}

func openPool(path string, connections int, settings url.Values) (*sql.DB, error) {
	name, err := dsn(path, settings)
	if err != nil {
		return nil, err
	}
	pool, err := sql.Open("sqlite", name)
	if err != nil {
		return nil, err
	}
	pool.SetMaxOpenConns(connections)
	pool.SetMaxIdleConns(connections)
	return pool, nil
}

// connect opens the writing connection. Two processes that turn a new file
// into one with a write-ahead log disturb each other whatever the timeout, so
// the loser tries again.
func connect(ctx context.Context, pool *sql.DB) (*conn, error) {
	const attempts, pause = 100, 50 * time.Millisecond
	for i := 1; ; i++ {
		c, err := openConn(ctx, pool)
		if err == nil || !busy(err) || i == attempts {
			return c, err
		}
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
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

// resultCode is the primary result code of a database error, 0 for others.
func resultCode(err error) int {
	var e *sqlite.Error
	if errors.As(err, &e) {
		return e.Code() & 0xff
	}
	return 0
}

// dooms says whether the whole transaction is lost with this error: the disk,
// the file or the memory failed, not the statement.
func dooms(err error) bool {
	switch resultCode(err) {
	case sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_NOMEM,
		sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_READONLY:
		return true
	}
	return errors.Is(err, driver.ErrBadConn) || errors.Is(err, sql.ErrConnDone)
}

// refusedCommit says whether a COMMIT that failed so is known to have done
// nothing. After every other failure the outcome is unknown.
func refusedCommit(err error) bool {
	code := resultCode(err)
	return code == sqlite3.SQLITE_FULL || code == sqlite3.SQLITE_BUSY
}

// nothingOpen says whether a ROLLBACK failed because there was no transaction.
func nothingOpen(err error) bool { return resultCode(err) == sqlite3.SQLITE_ERROR }

// busy says whether another process held the lock for too long.
func busy(err error) bool { return resultCode(err) == sqlite3.SQLITE_BUSY }

// duplicate says whether a unique column already has the value.
func duplicate(err error) bool {
	var e *sqlite.Error
	return errors.As(err, &e) &&
		(e.Code() == sqlite3.SQLITE_CONSTRAINT_UNIQUE || e.Code() == sqlite3.SQLITE_CONSTRAINT_PRIMARYKEY)
}
