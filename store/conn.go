package store

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"countersign/domain"
)

// conn is a connection as the store uses it. It belongs to one goroutine at a
// time. Statements run to their end: an interrupted one would roll back the
// whole group it runs in.
type conn struct {
	session
	dialect dialect
	use     use
	// doomed is the first error of the current transaction after which nothing
	// of it may be committed. No statement runs any more: the transaction may
	// be gone, and the next statement would commit by itself.
	doomed error
	rights rights
	counts counts
	seen   seen
	proofs proofs
	// atLeast is how many entries the log had when the transaction was begun, as
	// far as this process knows. One with fewer was put back.
	atLeast int64
	// head is the number of the next entry when the writer's group began.
	head int64
}

// session is an open connection to one of the databases.
type session interface {
	// exec runs a statement and says how many rows it changed.
	exec(text string, args []any) (int64, error)
	// later runs a statement whose result nobody waits for, now or with the next
	// one. It must be one that does not fail by what callers do.
	later(text string, args []any) error
	// query runs a query and calls fn for every row, until it returns errEnough.
	query(text string, args []any, fn func(row) error) error
	// script runs statements that have no parameters. What was to run later does
	// not run.
	script(text string) error
	// mark begins a member of a group: release keeps what it did, undo undoes it.
	// An error of undo says that the transaction is gone.
	mark() error
	release() error
	undo() error
	// commit ends the transaction, and tells others of the log when it grew. An
	// error with known means that nothing was committed; without, whether it
	// was is unknown.
	commit(grew bool) (known bool, err error)
	// dooms says whether the whole transaction is lost with this error: the
	// disk, the connection or the memory failed, not the statement.
	dooms(err error) bool
	// gone says whether the connection is, and with it what was not committed.
	gone() bool
	close() error
}

// errEnough ends a query whose further rows nobody needs.
var errEnough = errors.New("enough rows were read")

// errLate says that a statement that ran later failed: its member, which did not
// wait for it, may have come to its end, and others have relied on it.
var errLate = errors.New("a statement that nobody waited for failed")

// row is a row of a result.
type row interface {
	Columns() ([]string, error)
	Scan(dest ...any) error
}

// openConn opens a connection.
func openConn(ctx context.Context, d dialect, u use) (*conn, error) {
	c := &conn{dialect: d, use: u}
	_, err := c.revive(ctx)
	return c, err
}

// gone says whether there is no connection now: there was none yet, or it
// failed.
func (c *conn) gone() bool { return c.session == nil || c.session.gone() }

func (c *conn) close() error {
	if c.session == nil {
		return nil
	}
	return c.session.close()
}

// revive connects if the connection is gone.
func (c *conn) revive(ctx context.Context) (fresh bool, err error) {
	c.doomed = nil
	if !c.gone() {
		return false, nil
	}
	s, err := c.dialect.connect(ctx, c.use)
	if err != nil {
		return false, err
	}
	_ = c.close() // what it was is gone
	c.session = s
	c.rights.forget()
	c.counts, c.seen = counts{}, seen{}
	return true, nil
}

// lockPatience is how long who writes to a file waits while another process does,
// and lockGlance how long it waits without looking whether it still should.
const (
	lockPatience = 10 * time.Second
	lockGlance   = 100 * time.Millisecond
)

// begin begins a transaction. One that writes to a file waits for another process
// that does, until ctx ends.
func (c *conn) begin(ctx context.Context, text string) error {
	err := c.attempt(ctx, text)
	if !busy(err) || c.use != writes {
		return err
	}
	patience, cancel := context.WithTimeout(ctx, lockPatience)
	defer cancel()
	for busy(err) {
		if patience.Err() != nil {
			return errors.Join(err, ctx.Err())
		}
		err = c.attempt(ctx, text)
	}
	return err
}

// attempt begins a transaction, over a new connection if the old one is gone:
// that may show only now.
func (c *conn) attempt(ctx context.Context, text string) error {
	c.proofs = proofs{}
	for {
		fresh, err := c.revive(ctx)
		if err != nil {
			return err
		}
		if c.use == reads {
			err = c.look(text)
		} else if err = c.session.script(text); err == nil {
			c.rights.begin()
			if c.use != writes { // see writer.attempt
				c.counts = counts{}
			}
		}
		if err == nil || fresh || !c.gone() {
			return err
		}
	}
}

// rollback ends the transaction, if there still is one.
func (c *conn) rollback() error {
	c.doomed = nil
	if c.gone() {
		return nil
	}
	err := c.session.script("ROLLBACK")
	if c.gone() || nothingOpen(err) {
		return nil
	}
	return err
}

// exec runs a statement and says how many rows it changed.
func (c *conn) exec(text string, args ...any) (int64, error) {
	if c.doomed != nil {
		return 0, c.doomed
	}
	n, err := c.session.exec(text, args)
	return n, c.note(err)
}

// later runs a statement whose result nobody waits for.
func (c *conn) later(text string, args ...any) error {
	if c.doomed != nil {
		return c.doomed
	}
	return c.note(c.session.later(text, args))
}

// manyRows is how many rows one statement inserts, or finds by their keys, at
// most.
const manyRows = 64

// insertRows inserts rows whose values, so many for each, stand one behind
// another. The rest of the statement says what to do about conflicts.
func (c *conn) insertRows(into string, columns int, values []any, rest string) error {
	for some := range slices.Chunk(values, columns*manyRows) {
		text := []byte("INSERT INTO " + into + " VALUES ")
		for i := range some {
			mark := ", $"
			switch {
			case i == 0:
				mark = "($"
			case i%columns == 0:
				mark = "), ($"
			}
			text = strconv.AppendInt(append(text, mark...), int64(i+1), 10)
		}
		if err := c.later(string(text)+")"+rest, some...); err != nil {
			return fmt.Errorf("insert into %s: %w", into, err)
		}
	}
	return nil
}

// each runs a query and calls fn for every row.
func (c *conn) each(text string, args []any, fn func(row) error) error {
	if c.doomed != nil {
		return c.doomed
	}
	return c.note(c.query(text, args, fn))
}

// row scans the only row of a query; domain.ErrNotFound when there is none.
func (c *conn) row(text string, args []any, dest ...any) error {
	found := false
	err := c.each(text, args, func(r row) error {
		found = true
		return r.Scan(dest...)
	})
	if err == nil && !found {
		return domain.ErrNotFound
	}
	return err
}

// note remembers an error that dooms the transaction.
func (c *conn) note(err error) error {
	if err != nil && c.doomed == nil && c.dooms(err) {
		c.doomed = err
	}
	return err
}
