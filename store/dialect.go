package store

import (
	"context"
	"errors"
	"log/slog"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"
	sqlite3 "modernc.org/sqlite/lib"
)

// dialect is what a database does in its own way. Everything else is the same
// SQL on both.
type dialect interface {
	// label names the database in messages, without a password.
	label() string
	// create makes the database if it is missing, where the program can.
	create() error
	// connect opens a connection. Without a database to read it gives
	// fs.ErrNotExist.
	connect(ctx context.Context, u use) (session, error)
	// caution logs what of the database's settings may cost what is stored.
	caution(c *conn, logger *slog.Logger) error
	// words are the statements that differ.
	words() *words
	// migrations are this program's, in order.
	migrations() []Migration
	// readers is the number of connections that read.
	readers() int
	// moved says whether others may have committed since it was asked last. It
	// looks over the connection that writes.
	moved(c *conn) (bool, error)
	// empty folds the journal into the database and leaves nothing in it. The
	// server's own is not this program's to empty.
	empty(w *writer) error
	// listen calls wake whenever others have committed, until ctx ends. It
	// returns at once where nobody tells.
	listen(ctx context.Context, wake func())
	// tend keeps the database's files in order until ctx ends. It returns at once
	// where the database does so itself.
	tend(ctx context.Context, w *writer)
	// outlives says whether the program goes on when a connection failed in the
	// middle of a commit: then the next one can find out what became of it.
	outlives() bool
	// abort ends what its connections wait for, so that a server that does not
	// answer keeps nobody from closing.
	abort()
	// schema is what the database is made of, by name. What has nothing to do
	// with what it should be made of may be left out.
	schema(r *reader, want map[string]string) (map[string]string, error)
	// freshSchema is what a new database is made of to which so many migrations were
	// applied.
	freshSchema(ctx context.Context, applied int) (map[string]string, error)
	// scanners begin to read over a connection for verification, and over more
	// beside it that see the same, as far as there can be. release ends those.
	scanners(ctx context.Context, r *reader) (list []scanner, release func(), err error)
	// check has the database look for damage in its own files.
	check(s scanner) (problems []string, err error)
	// indexes are those that have to be held to their tables, by table.
	indexes(r *reader) (map[string]*indexed, error)
	// backup writes a copy to a file.
	backup(ctx context.Context, file string) error
}

// words are the statements that each database has its own for.
type words struct {
	begin     string // of a transaction that writes: it waits until no other does
	beginRead string // of one that reads a snapshot
	version   string // reads what is another value whenever others have committed
	record    string // creates the record of migrations if it is missing
	tables    string // counts the tables with a name
	columns   string // names the columns of a table
}

// use is what a connection is for.
type use int

const (
	writes use = iota // the one connection that writes
	reads             // it must not write
	audits            // it reads everything, and leaves no trace
)

// IsPostgreSQL says whether a database is named by the URL of a PostgreSQL
// server; else it is the path of a SQLite file.
func IsPostgreSQL(db string) bool {
	return strings.HasPrefix(db, "postgres://") || strings.HasPrefix(db, "postgresql://")
}

// filesOf are where the signing key and the head file of a database lie unless
// it is said: beside a file, else in the working directory.
func filesOf(db string) (key, head string) {
	if IsPostgreSQL(db) {
		db = "countersign"
	}
	return db + ".key", db + ".head"
}

// Label names a database in messages: what it is called, without a password.
func Label(db string) string {
	d, err := dialectOf(db)
	if err != nil {
		return "the database"
	}
	return d.label()
}

func dialectOf(db string) (dialect, error) {
	if IsPostgreSQL(db) {
		return newPostgres(db)
	}
	return &sqlite{path: db}, nil
}

// crowded says whether the server lets in no more connections.
func crowded(err error) bool {
	var e *pgconn.PgError
	return errors.As(err, &e) && e.Code == "53300"
}

// locked says whether another process held a lock for too long.
func locked(err error) bool {
	var e *pgconn.PgError
	return busy(err) || errors.As(err, &e) && e.Code == "55P03"
}

// duplicate says whether a unique column already has the value.
func duplicate(err error) bool {
	var lite *sqliteError
	var pg *pgconn.PgError
	switch {
	case errors.As(err, &lite):
		return lite.code == sqlite3.SQLITE_CONSTRAINT_UNIQUE || lite.code == sqlite3.SQLITE_CONSTRAINT_PRIMARYKEY
	case errors.As(err, &pg):
		return pg.Code == "23505"
	}
	return false
}
