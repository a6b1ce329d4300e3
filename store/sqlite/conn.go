package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"strings"

	engine "modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"countersign/store/driver"
)

// maxStatements bounds a connection's cache: the filters of lists combine to
// more texts than are worth keeping prepared.
const maxStatements = 256

// conn is one connection to a file, with its prepared statements.
type conn struct {
	db         *sql.DB // has this connection only
	pinned     *sql.Conn
	statements map[string]*sql.Stmt // those that do not run
	name       string               // of the file with settings, for verification
	clean      func()               // at the end; may be nil
	atRest     func() bool          // whether the file still is; nil: it need not be
}

// background is the context of statements. One that can end would cost a goroutine
// for each of them.
var background = context.Background()

// openName opens what a name with settings says.
func openName(name string) (*conn, error) {
	db, err := sql.Open("sqlite", name)
	if err != nil {
		return nil, err
	}
	pinned, err := db.Conn(background)
	if err != nil {
		return nil, errors.Join(classified(err), db.Close())
	}
	return &conn{db: db, pinned: pinned, statements: map[string]*sql.Stmt{}, name: name}, nil
}

// use calls fn with a statement, prepared as long as the connection lasts. One that
// runs already, further out, is prepared anew.
func (c *conn) use(text string, fn func(*sql.Stmt) error) (err error) {
	defer func() { err = classified(err) }()
	statement := c.statements[text]
	if delete(c.statements, text); statement == nil {
		if statement, err = c.pinned.PrepareContext(background, text); err != nil {
			return err
		}
	}
	defer c.keep(text, statement)
	return fn(statement)
}

func (c *conn) keep(text string, statement *sql.Stmt) {
	if inner := c.statements[text]; inner != nil {
		_ = inner.Close() // it repeats the error of the last run
	} else if len(c.statements) >= maxStatements {
		for old, dropped := range c.statements {
			delete(c.statements, old)
			_ = dropped.Close()
			break
		}
	}
	c.statements[text] = statement
}

func (c *conn) Exec(text string, args []any) (n int64, err error) {
	err = c.use(text, func(statement *sql.Stmt) error {
		result, err := statement.ExecContext(background, args...)
		if err == nil {
			n, err = result.RowsAffected()
		}
		return err
	})
	return n, err
}

func (c *conn) Query(text string, args []any, fn func(driver.Row) error) error {
	return c.use(text, func(statement *sql.Stmt) error {
		rows, err := statement.QueryContext(background, args...)
		if err != nil {
			return err
		}
		defer func() { _ = rows.Close() }() // Err has what failed
		for rows.Next() {
			if err := fn(rows); err == driver.ErrEnough {
				return nil
			} else if err != nil {
				return err
			}
		}
		return rows.Err()
	})
}

func (c *conn) Script(text string) (err error) {
	if strings.Contains(text, ";") {
		_, err = c.pinned.ExecContext(background, text)
		err = classified(err)
	} else {
		_, err = c.Exec(text, nil)
	}
	if text == "ROLLBACK" && resultCode(err) == sqlite3.SQLITE_ERROR {
		return nil // there is no transaction any more
	}
	return err
}

func (c *conn) Queue(text string, args []any) error {
	_, err := c.Exec(text, args)
	return err
}

func (c *conn) Savepoint() error { return c.Queue("SAVEPOINT member", nil) }

// Release fails where the transaction is gone: without one, every statement would
// be committed by itself.
func (c *conn) Release() error { return c.Queue("RELEASE member", nil) }

func (c *conn) RollbackTo() error {
	if err := c.Queue("ROLLBACK TO member", nil); err != nil {
		return err
	}
	return c.Release()
}

// Commit has nobody to tell: others look.
func (c *conn) Commit(bool) (known bool, err error) {
	_, err = c.Exec("COMMIT", nil)
	code := resultCode(err)
	return code == sqlite3.SQLITE_FULL || code == sqlite3.SQLITE_BUSY, err
}

func (c *conn) IsClosed() bool { return false }

// Close closes the statements first: as long as one is open, the file is.
func (c *conn) Close() error {
	for _, statement := range c.statements {
		_ = statement.Close() // it repeats the error of the last run
	}
	err := errors.Join(c.pinned.Close(), c.db.Close())
	if c.clean != nil {
		c.clean()
	}
	return err
}

func (c *conn) IsFatal(err error) bool {
	switch resultCode(err) {
	case sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_NOMEM,
		sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_READONLY:
		return true
	}
	return false
}

// resultCode is the primary result code of a database error, 0 for others.
func resultCode(err error) int {
	if e, ok := errors.AsType[*engine.Error](err); ok {
		return e.Code() & 0xff
	}
	return 0
}

// classified gives an error of the database its kind.
func classified(err error) error {
	e, ok := errors.AsType[*engine.Error](err)
	if _, isDone := errors.AsType[*driver.Error](err); !ok || isDone {
		return err
	}
	kind := kinds[e.Code()]
	if kind == nil {
		kind = kinds[e.Code()&0xff]
	}
	if kind == nil {
		return err
	}
	return &driver.Error{Kind: kind, Err: err}
}

// kinds are those of result codes.
var kinds = map[int]error{
	sqlite3.SQLITE_BUSY:                  driver.ErrBusy,
	sqlite3.SQLITE_CORRUPT:               driver.ErrDamaged,
	sqlite3.SQLITE_NOTADB:                driver.ErrDamaged,
	sqlite3.SQLITE_CONSTRAINT_UNIQUE:     driver.ErrDuplicate,
	sqlite3.SQLITE_CONSTRAINT_PRIMARYKEY: driver.ErrDuplicate,
	sqlite3.SQLITE_CONSTRAINT_FOREIGNKEY: driver.ErrNoReference,
}

// WithoutTimeouts has nothing to do: statements have none.
func (c *conn) WithoutTimeouts() (end func() error, err error) {
	return func() error { return nil }, nil
}

func (c *conn) IsUnchanged() bool { return c.atRest == nil || c.atRest() }
