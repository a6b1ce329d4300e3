package store

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"

	sqlitedriver "modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// maxStatements bounds a connection's cache: the filters of lists combine to
// more texts than are worth keeping prepared.
const maxStatements = 256

// sqliteSession is a connection with its prepared statements. It has a pool of
// its own, of which it is all.
type sqliteSession struct {
	pool       *sql.DB
	conn       *sql.Conn
	statements map[string]*sql.Stmt
	name       string // of the file with settings, for verification
	clean      func() // at the end; may be nil
}

func openSQLite(ctx context.Context, dsn string) (*sqliteSession, error) {
	pool, err := sql.Open("sqlite", dsn)
	if err != nil {
		return nil, err
	}
	pool.SetMaxOpenConns(1)
	c, err := pool.Conn(ctx)
	if err != nil {
		return nil, errors.Join(err, pool.Close())
	}
	return &sqliteSession{pool: pool, conn: c, statements: map[string]*sql.Stmt{}}, nil
}

func (s *sqliteSession) prepare(text string) (*sql.Stmt, error) {
	if stmt := s.statements[text]; stmt != nil {
		return stmt, nil
	}
	stmt, err := s.conn.PrepareContext(context.Background(), text)
	if err != nil {
		return nil, fmt.Errorf("prepare: %w", err)
	}
	for old, stmt := range s.statements {
		if len(s.statements) < maxStatements {
			break
		}
		delete(s.statements, old)
		_ = stmt.Close() // a cached statement holds nothing
	}
	s.statements[text] = stmt
	return stmt, nil
}

func (s *sqliteSession) exec(text string, args []any) (int64, error) {
	stmt, err := s.prepare(text)
	if err != nil {
		return 0, err
	}
	result, err := stmt.ExecContext(context.Background(), args...)
	if err != nil {
		return 0, err
	}
	return result.RowsAffected()
}

func (s *sqliteSession) query(text string, args []any, fn func(row) error) error {
	stmt, err := s.prepare(text)
	if err != nil {
		return err
	}
	rows, err := stmt.QueryContext(context.Background(), args...)
	if err != nil {
		return err
	}
	defer func() { _ = rows.Close() }() // Err reports what matters
	for rows.Next() {
		if err := fn(rows); err != nil {
			return err
		}
	}
	return rows.Err()
}

func (s *sqliteSession) script(text string) error {
	_, err := s.conn.ExecContext(context.Background(), text)
	return err
}

func (s *sqliteSession) later(text string, args []any) error {
	_, err := s.exec(text, args)
	return err
}

func (s *sqliteSession) mark() error { return s.later("SAVEPOINT member", nil) }

func (s *sqliteSession) release() error { return s.later("RELEASE member", nil) }

func (s *sqliteSession) undo() error {
	if err := s.later("ROLLBACK TO member", nil); err != nil {
		return err
	}
	return s.release()
}

// commit has nobody to tell: others look.
func (s *sqliteSession) commit(bool) (known bool, err error) {
	_, err = s.exec("COMMIT", nil)
	code := resultCode(err)
	return code == sqlite3.SQLITE_FULL || code == sqlite3.SQLITE_BUSY, err
}

func (s *sqliteSession) gone() bool { return false }

func (s *sqliteSession) close() error {
	for _, stmt := range s.statements {
		_ = stmt.Close() // closing the connection reports what matters
	}
	err := errors.Join(s.conn.Close(), s.pool.Close())
	if s.clean != nil {
		s.clean()
	}
	return err
}

func (s *sqliteSession) dooms(err error) bool {
	switch resultCode(err) {
	case sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_NOMEM,
		sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_READONLY:
		return true
	}
	return errors.Is(err, driver.ErrBadConn) || errors.Is(err, sql.ErrConnDone)
}

// resultCode is the primary result code of a database error, 0 for others.
func resultCode(err error) int {
	var e *sqlitedriver.Error
	var scanned *scanError
	switch {
	case errors.As(err, &e):
		return e.Code() & 0xff
	case errors.As(err, &scanned):
		return scanned.code & 0xff
	}
	return 0
}

// nothingOpen says whether a ROLLBACK failed because there was no transaction.
func nothingOpen(err error) bool { return resultCode(err) == sqlite3.SQLITE_ERROR }

// busy says whether another process held the lock for too long.
func busy(err error) bool { return resultCode(err) == sqlite3.SQLITE_BUSY }
