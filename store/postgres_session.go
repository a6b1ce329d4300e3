package store

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
)

// postgresSession is a connection to PostgreSQL. The driver keeps statements
// prepared. A way to the server and back takes longer than most statements, and
// whoever takes it holds the lock: what nobody waits for goes with the next one,
// be it another member's or the commit.
type postgresSession struct {
	conn *pgx.Conn
	life context.Context // in which statements run
	// timeout bounds a statement with its rows, so that nobody waits for a
	// server that has vanished; 0: it takes what it takes.
	timeout  time.Duration
	notify   string // what tells other nodes that the log grew
	queue    pgx.Batch
	ended    int   // so many in the queue, from the first, are of members that have ended
	unmarked bool  // the savepoint is in the queue, behind those
	failed   error // of a statement of the member whose turn it is
}

// maxQueued is how many statements wait at the end of a member at most: they
// take memory.
const maxQueued = 256

func newPostgresSession(life context.Context, conn *pgx.Conn, timeout time.Duration, node string) *postgresSession {
	conn.TypeMap().RegisterType(&pgtype.Type{Name: "text", OID: pgtype.TextOID, Codec: textCodec{}})
	return &postgresSession{conn: conn, life: life, timeout: timeout, notify: "NOTIFY " + channel + ", '" + node + "'"}
}

func (s *postgresSession) bound() (context.Context, context.CancelFunc) {
	if s.timeout == 0 {
		return s.life, func() {}
	}
	return context.WithTimeout(s.life, s.timeout)
}

// unbounded lets statements take what they take until end is called, and what
// happens between them too: to verify and to migrate a large table does.
func (s *postgresSession) unbounded() (end func() error, err error) {
	timeout := s.timeout
	s.timeout = 0
	return func() error {
		defer func() { s.timeout = timeout }()
		if s.gone() {
			return nil
		}
		return s.script("RESET statement_timeout; RESET idle_in_transaction_session_timeout")
	}, s.script("SET statement_timeout = 0; SET idle_in_transaction_session_timeout = 0")
}

// setting is the value of one of the server's.
func (s *postgresSession) setting(name string) (value string, err error) {
	ctx, cancel := s.bound()
	defer cancel()
	err = s.conn.QueryRow(ctx, "SELECT current_setting($1)", name).Scan(&value)
	return value, err
}

func (s *postgresSession) later(text string, args []any) error {
	s.queue.Queue(text, escapedArgs(args)...)
	return nil
}

// send sends a statement with what is queued before it, and has its result
// read. The first error is that of the statement that failed; none after it ran.
func (s *postgresSession) send(text string, args []any, read func(pgx.BatchResults) error) error {
	ctx, cancel := s.bound()
	defer cancel()
	before, ended, batch := s.queue.Len(), s.ended, s.queue
	s.drop()
	batch.Queue(text, escapedArgs(args)...)
	results := s.conn.SendBatch(ctx, &batch)
	for i := range before {
		if _, err := results.Exec(); err != nil {
			_ = results.Close() // it says the same
			if i < ended {
				err = fmt.Errorf("%w: %w", errLate, err)
			}
			s.failed = err
			return err
		}
	}
	err := read(results)
	if closed := results.Close(); err == nil {
		err = closed
	}
	s.failed = cmp.Or(s.failed, err)
	return err
}

// drop forgets what is queued.
func (s *postgresSession) drop() { s.queue, s.ended, s.unmarked = pgx.Batch{}, 0, false }

func (s *postgresSession) exec(text string, args []any) (n int64, err error) {
	err = s.send(text, args, func(results pgx.BatchResults) error {
		tag, err := results.Exec()
		n = tag.RowsAffected()
		return err
	})
	return n, err
}

func (s *postgresSession) query(text string, args []any, fn func(row) error) error {
	return s.send(text, args, func(results pgx.BatchResults) error {
		rows, err := results.Query()
		if err != nil {
			return err
		}
		defer rows.Close()
		for rows.Next() {
			if err := fn(postgresRow{rows}); err == errEnough {
				return nil
			} else if err != nil {
				return err
			}
		}
		return rows.Err()
	})
}

func (s *postgresSession) script(text string) error {
	s.drop()
	ctx, cancel := s.bound()
	defer cancel()
	_, err := s.conn.Exec(ctx, text)
	return err
}

func (s *postgresSession) mark() error {
	s.ended, s.unmarked, s.failed = s.queue.Len(), true, nil
	return s.later("SAVEPOINT member", nil)
}

// release of a member that has waited for nothing needs no savepoint: what it
// queued does not fail, and until now it could be taken out of the queue.
func (s *postgresSession) release() error {
	switch {
	case s.failed != nil: // and the member overlooked it
		return s.failed
	case s.queue.Len() >= maxQueued:
		_, err := s.exec("RELEASE member", nil)
		return err
	case s.unmarked:
		s.queue.QueuedQueries = slices.Delete(s.queue.QueuedQueries, s.ended, s.ended+1)
		s.unmarked = false
	default:
		_ = s.later("RELEASE member", nil) // it only queues
	}
	s.ended = s.queue.Len()
	return nil
}

func (s *postgresSession) undo() error {
	if s.unmarked { // nothing of it was sent
		s.queue.QueuedQueries = s.queue.QueuedQueries[:s.ended]
		s.unmarked = false
		return nil
	}
	return s.script("ROLLBACK TO member; RELEASE member")
}

// errRolledBack says that a statement of the transaction had failed.
var errRolledBack = errors.New("the database rolled the transaction back")

// commit of a transaction in which a statement failed rolls it back, without an
// error. After an answer that is one, nothing was committed; after none, or one
// with which the server ended the connection, that is unknown.
func (s *postgresSession) commit(grew bool) (known bool, err error) {
	if grew {
		_ = s.later(s.notify, nil) // it only queues
	}
	err = s.send("COMMIT", nil, func(results pgx.BatchResults) error {
		tag, err := results.Exec()
		if err == nil && tag.String() != "COMMIT" {
			err = errRolledBack
		}
		return err
	})
	var refused *pgconn.PgError
	return errors.Is(err, errRolledBack) || errors.As(err, &refused) && refused.SeverityUnlocalized == "ERROR", err
}

// dooms knows the classes of errors by the first two characters of their codes.
func (s *postgresSession) dooms(err error) bool {
	var e *pgconn.PgError
	if s.gone() || errors.Is(err, errLate) {
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

func (s *postgresSession) gone() bool { return s.conn.IsClosed() }

func (s *postgresSession) close() error {
	ctx, cancel := context.WithTimeout(context.Background(), connectTimeout)
	defer cancel()
	return s.conn.Close(ctx)
}
