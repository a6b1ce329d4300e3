package postgres

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgtype"

	"countersign/store/driver"
)

// Conn is a connection to PostgreSQL. The driver keeps statements
// prepared. A way to the server and back takes longer than most statements, and
// whoever takes it holds the lock: what nobody waits for goes with the next one,
// be it another member's or the commit.
type Conn struct {
	conn *pgx.Conn
	life context.Context // in which statements run
	// Timeout bounds a statement with its rows, so that nobody waits for a
	// server that has vanished; 0: it takes what it takes.
	Timeout  time.Duration
	notify   string // what tells other nodes that the log grew
	queue    pgx.Batch
	ended    int   // so many in the queue, from the first, are of members that have ended
	unmarked bool  // the savepoint is in the queue, behind those
	failed   error // of a statement of the member whose turn it is
}

// maxQueued is how many statements wait at the end of a member at most: they
// take memory.
const maxQueued = 256

func newConn(life context.Context, conn *pgx.Conn, timeout time.Duration, node string) *Conn {
	conn.TypeMap().RegisterType(&pgtype.Type{Name: "text", OID: pgtype.TextOID, Codec: textCodec{}})
	return &Conn{conn: conn, life: life, Timeout: timeout, notify: "NOTIFY " + channel + ", '" + node + "'"}
}

func (c *Conn) bound() (context.Context, context.CancelFunc) {
	if c.Timeout == 0 {
		return c.life, func() {}
	}
	return context.WithTimeout(c.life, c.Timeout)
}

// WithoutTimeouts lets statements take what they take until end is called, and what
// happens between them too: to verify and to migrate a large table does.
func (c *Conn) WithoutTimeouts() (end func() error, err error) {
	timeout := c.Timeout
	c.Timeout = 0
	return func() error {
		defer func() { c.Timeout = timeout }()
		if c.IsClosed() {
			return nil
		}
		return c.Script("RESET statement_timeout; RESET idle_in_transaction_session_timeout")
	}, c.Script("SET statement_timeout = 0; SET idle_in_transaction_session_timeout = 0")
}

// setting is the value of one of the server's.
func (c *Conn) setting(name string) (value string, err error) {
	ctx, cancel := c.bound()
	defer cancel()
	err = c.conn.QueryRow(ctx, "SELECT current_setting($1)", name).Scan(&value)
	return value, err
}

func (c *Conn) Queue(text string, args []any) error {
	c.queue.Queue(text, escapedArgs(args)...)
	return nil
}

// send sends a statement with what is queued before it, and has its result
// read. The first error is that of the statement that failed; none after it ran.
func (c *Conn) send(text string, args []any, read func(pgx.BatchResults) error) error {
	ctx, cancel := c.bound()
	defer cancel()
	before, ended, batch := c.queue.Len(), c.ended, c.queue
	c.drop()
	batch.Queue(text, escapedArgs(args)...)
	results := c.conn.SendBatch(ctx, &batch)
	for i := range before {
		if _, err := results.Exec(); err != nil {
			_ = results.Close() // it says the same
			if i < ended {
				err = fmt.Errorf("%w: %w", driver.ErrQueued, err)
			}
			c.failed = classified(err)
			return c.failed
		}
	}
	err := read(results)
	if closed := results.Close(); err == nil {
		err = closed
	}
	err = classified(err)
	c.failed = cmp.Or(c.failed, err)
	return err
}

// drop forgets what is queued.
func (c *Conn) drop() { c.queue, c.ended, c.unmarked = pgx.Batch{}, 0, false }

func (c *Conn) Exec(text string, args []any) (n int64, err error) {
	err = c.send(text, args, func(results pgx.BatchResults) error {
		tag, err := results.Exec()
		n = tag.RowsAffected()
		return err
	})
	return n, err
}

func (c *Conn) Query(text string, args []any, fn func(driver.Row) error) error {
	return c.send(text, args, func(results pgx.BatchResults) error {
		rows, err := results.Query()
		if err != nil {
			return err
		}
		defer rows.Close()
		for rows.Next() {
			if err := fn(postgresRow{rows}); err == driver.ErrEnough {
				return nil
			} else if err != nil {
				return err
			}
		}
		return rows.Err()
	})
}

func (c *Conn) Script(text string) error {
	c.drop()
	ctx, cancel := c.bound()
	defer cancel()
	_, err := c.conn.Exec(ctx, text)
	return classified(err)
}

func (c *Conn) Savepoint() error {
	c.ended, c.unmarked, c.failed = c.queue.Len(), true, nil
	return c.Queue("SAVEPOINT member", nil)
}

// Release of a member that has waited for nothing needs no savepoint: what it
// queued does not fail, and until now it could be taken out of the queue.
func (c *Conn) Release() error {
	switch {
	case c.failed != nil: // and the member overlooked it
		return c.failed
	case c.queue.Len() >= maxQueued:
		_, err := c.Exec("RELEASE member", nil)
		return err
	case c.unmarked:
		c.queue.QueuedQueries = slices.Delete(c.queue.QueuedQueries, c.ended, c.ended+1)
		c.unmarked = false
	default:
		_ = c.Queue("RELEASE member", nil) // it only queues
	}
	c.ended = c.queue.Len()
	return nil
}

func (c *Conn) RollbackTo() error {
	if c.unmarked { // nothing of it was sent
		c.queue.QueuedQueries = c.queue.QueuedQueries[:c.ended]
		c.unmarked = false
		return nil
	}
	return c.Script("ROLLBACK TO member; RELEASE member")
}

// errRolledBack says that a statement of the transaction had failed.
var errRolledBack = errors.New("the database rolled the transaction back")

// Commit of a transaction in which a statement failed rolls it back, without an
// error. After an answer that is one, nothing was committed; after none, or one
// with which the server ended the connection, that is unknown.
func (c *Conn) Commit(grew bool) (known bool, err error) {
	if grew {
		_ = c.Queue(c.notify, nil) // it only queues
	}
	err = c.send("COMMIT", nil, func(results pgx.BatchResults) error {
		tag, err := results.Exec()
		if err == nil && tag.String() != "COMMIT" {
			err = errRolledBack
		}
		return err
	})
	var refused *pgconn.PgError
	return errors.Is(err, errRolledBack) || errors.As(err, &refused) && refused.SeverityUnlocalized == "ERROR", err
}

// IsFatal knows the classes of errors by the first two characters of their codes.
func (c *Conn) IsFatal(err error) bool {
	var e *pgconn.PgError
	if c.IsClosed() || errors.Is(err, driver.ErrQueued) {
		return true
	}
	if !errors.As(err, &e) || len(e.Code) < 2 {
		return false
	}
	switch e.Code[:2] {
	case "40", // the transaction was rolled back
		"53", // disk full, out of memory
		"57", // an operator's intervention
		"58", // the system failed
		"XX": // the data is corrupted
		return true
	}
	return false
}

func (c *Conn) IsClosed() bool { return c.conn.IsClosed() }

func (c *Conn) Close() error {
	ctx, cancel := context.WithTimeout(context.Background(), connectTimeout)
	defer cancel()
	return c.conn.Close(ctx)
}

// IsUnchanged is true: a server shows one state of the database.
func (c *Conn) IsUnchanged() bool { return true }

// CopyFrom writes rows into a table, until next returns none.
func (c *Conn) CopyFrom(ctx context.Context, table string, columns []string, next func() ([]any, error)) error {
	_, err := c.conn.CopyFrom(ctx, pgx.Identifier{table}, columns, pgx.CopyFromFunc(func() ([]any, error) {
		values, err := next()
		return escapedArgs(values), err
	}))
	return err
}

// kinds are those of PostgreSQL's codes.
var kinds = map[string]error{
	"23503": driver.ErrNoReference,
	"23505": driver.ErrDuplicate,
	"53300": driver.ErrTooManyConns,
	"55P03": driver.ErrLockTimeout,
}

// classified gives an error of the server its kind.
func classified(err error) error {
	e, ok := errors.AsType[*pgconn.PgError](err)
	if _, isDone := errors.AsType[*driver.Error](err); !ok || isDone || kinds[e.Code] == nil {
		return err
	}
	return &driver.Error{Kind: kinds[e.Code], Err: err}
}
