package store

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgtype"
)

// postgresSession is a connection to PostgreSQL. The driver keeps statements
// prepared.
type postgresSession struct {
	conn *pgx.Conn
	// timeout bounds a statement with its rows, so that nobody waits for a
	// server that has vanished; 0: it takes what it takes.
	timeout time.Duration
	notify  string // what tells other nodes that the log grew
}

func newPostgresSession(conn *pgx.Conn, timeout time.Duration, node string) *postgresSession {
	conn.TypeMap().RegisterType(&pgtype.Type{Name: "text", OID: pgtype.TextOID, Codec: textCodec{}})
	return &postgresSession{conn, timeout, "NOTIFY " + channel + ", '" + node + "'"}
}

func (s *postgresSession) bound() (context.Context, context.CancelFunc) {
	if s.timeout == 0 {
		return context.Background(), func() {}
	}
	return context.WithTimeout(context.Background(), s.timeout)
}

func (s *postgresSession) exec(text string, args []any) (int64, error) {
	ctx, cancel := s.bound()
	defer cancel()
	tag, err := s.conn.Exec(ctx, text, escapedArgs(args)...)
	return tag.RowsAffected(), err
}

func (s *postgresSession) query(text string, args []any, fn func(row) error) error {
	ctx, cancel := s.bound()
	defer cancel()
	rows, err := s.conn.Query(ctx, text, escapedArgs(args)...)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		if err := fn(postgresRow{rows}); err != nil {
			return err
		}
	}
	return rows.Err()
}

func (s *postgresSession) script(text string) error {
	_, err := s.exec(text, nil)
	return err
}

// errRolledBack says that a statement of the transaction had failed.
var errRolledBack = errors.New("the database rolled the transaction back")

// commit of a transaction in which a statement failed rolls it back, without an
// error. After an answer that is one, nothing was committed; after none, or one
// with which the server ended the connection, that is unknown.
func (s *postgresSession) commit(grew bool) (known bool, err error) {
	text := "COMMIT"
	if grew {
		text = s.notify + "; COMMIT"
	}
	ctx, cancel := s.bound()
	defer cancel()
	tag, err := s.conn.Exec(ctx, text)
	if err == nil && tag.String() != "COMMIT" {
		return true, errRolledBack
	}
	var refused *pgconn.PgError
	return errors.As(err, &refused) && refused.SeverityUnlocalized == "ERROR", err
}

// dooms knows the classes of errors by the first two characters of their codes.
func (s *postgresSession) dooms(err error) bool {
	var e *pgconn.PgError
	if s.gone() || !errors.As(err, &e) || len(e.Code) < 2 {
		return s.gone()
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
