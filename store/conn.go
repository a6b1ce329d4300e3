package store

import (
	"context"
	"database/sql"
	"fmt"

	"countersign/domain"
)

// maxStatements bounds a connection's cache: the filters of lists combine to
// more texts than are worth keeping prepared.
const maxStatements = 256

// conn is one connection with its prepared statements. It belongs to one
// goroutine at a time. Statements run to their end: an interrupted one would
// roll back the whole group it runs in.
type conn struct {
	sql        *sql.Conn
	statements map[string]*sql.Stmt
	// doomed is the first error of the current transaction after which nothing
	// of it may be committed. No statement runs any more: the transaction may
	// be gone, and the next statement would commit by itself.
	doomed error
	rights rights
}

func openConn(ctx context.Context, db *sql.DB) (*conn, error) {
	c, err := db.Conn(ctx)
	if err != nil {
		return nil, err
	}
	return &conn{sql: c, statements: map[string]*sql.Stmt{}}, nil
}

func (c *conn) prepare(text string) (*sql.Stmt, error) {
	if c.doomed != nil {
		return nil, c.doomed
	}
	if s := c.statements[text]; s != nil {
		return s, nil
	}
	s, err := c.sql.PrepareContext(context.Background(), text)
	if err != nil {
		return nil, c.note(fmt.Errorf("prepare: %w", err))
	}
	for old, stmt := range c.statements {
		if len(c.statements) < maxStatements {
			break
		}
		delete(c.statements, old)
		_ = stmt.Close() // a cached statement holds nothing
	}
	c.statements[text] = s
	return s, nil
}

// exec runs a statement and says how many rows it changed.
func (c *conn) exec(text string, args ...any) (int64, error) {
	s, err := c.prepare(text)
	if err != nil {
		return 0, err
	}
	result, err := s.ExecContext(context.Background(), args...)
	if err != nil {
		return 0, c.note(err)
	}
	return result.RowsAffected()
}

// each runs a query and calls fn for every row.
func (c *conn) each(text string, args []any, fn func(*sql.Rows) error) error {
	s, err := c.prepare(text)
	if err != nil {
		return err
	}
	rows, err := s.QueryContext(context.Background(), args...)
	if err != nil {
		return c.note(err)
	}
	defer func() { _ = rows.Close() }() // Err reports what matters
	for rows.Next() {
		if err := fn(rows); err != nil {
			return err
		}
	}
	return c.note(rows.Err())
}

// row scans the only row of a query; domain.ErrNotFound when there is none.
func (c *conn) row(text string, args []any, dest ...any) error {
	found := false
	err := c.each(text, args, func(rows *sql.Rows) error {
		found = true
		return rows.Scan(dest...)
	})
	if err == nil && !found {
		return domain.ErrNotFound
	}
	return err
}

// note remembers an error that dooms the transaction.
func (c *conn) note(err error) error {
	if c.doomed == nil && dooms(err) {
		c.doomed = err
	}
	return err
}

func (c *conn) close() error {
	for _, s := range c.statements {
		_ = s.Close() // closing the connection reports what matters
	}
	return c.sql.Close()
}
