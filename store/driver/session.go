package driver

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"
)

// Session is a connection that is made anew when it was lost. It belongs to one
// goroutine at a time.
type Session struct {
	Conn
	Driver Driver
	Mode   Mode
	// Err is the first error of the current transaction after which nothing of it may
	// be committed. No statement runs any more: the transaction may be gone, and the
	// next statement would commit by itself.
	Err error
}

const (
	// lockTimeout is how long one that writes waits while another process does.
	lockTimeout = 10 * time.Second
	// MaxRows is how many rows one statement inserts, or finds by their keys, at most.
	MaxRows = 64
)

// Open opens a session that is connected.
func Open(ctx context.Context, d Driver, mode Mode) (*Session, error) {
	s := &Session{Driver: d, Mode: mode}
	_, err := s.Reconnect(ctx)
	return s, err
}

// IsClosed reports whether there is no connection now: there was none yet, or it
// failed.
func (s *Session) IsClosed() bool { return s.Conn == nil || s.Conn.IsClosed() }

// Close closes the connection, if there is one.
func (s *Session) Close() error {
	if s.Conn == nil {
		return nil
	}
	return s.Conn.Close()
}

// Reconnect connects if the connection is gone.
func (s *Session) Reconnect(ctx context.Context) (isNew bool, err error) {
	s.Err = nil
	if !s.IsClosed() {
		return false, nil
	}
	c, err := s.Driver.Connect(ctx, s.Mode)
	if err != nil {
		return false, err
	}
	_ = s.Close() // what it was is gone
	s.Conn = c
	return true, nil
}

// Begin begins a transaction. One that writes to a file waits for another process
// that does, until ctx ends.
func (s *Session) Begin(ctx context.Context) error {
	err := s.begin(ctx)
	if !errors.Is(err, ErrBusy) || s.Mode != ReadWrite {
		return err
	}
	patience, cancel := context.WithTimeout(ctx, lockTimeout)
	defer cancel()
	for errors.Is(err, ErrBusy) {
		if patience.Err() != nil {
			return errors.Join(err, ctx.Err())
		}
		err = s.begin(ctx)
	}
	return err
}

// begin begins a transaction, over a new connection if the old one is gone: that may
// show only now.
func (s *Session) begin(ctx context.Context) error {
	text := s.Driver.SQL().Begin
	if s.Mode == ReadOnly {
		text = s.Driver.SQL().BeginRead
	}
	for {
		isNew, err := s.Reconnect(ctx)
		if err != nil {
			return err
		}
		if err = s.Conn.Script(text); err == nil || isNew || !s.IsClosed() {
			return err
		}
	}
}

// Rollback ends the transaction, if there still is one.
func (s *Session) Rollback() error {
	s.Err = nil
	if s.IsClosed() {
		return nil
	}
	err := s.Conn.Script("ROLLBACK")
	if s.IsClosed() {
		return nil
	}
	return err
}

// Exec runs a statement and returns how many rows it changed.
func (s *Session) Exec(text string, args ...any) (int64, error) {
	if s.Err != nil {
		return 0, s.Err
	}
	n, err := s.Conn.Exec(text, args)
	return n, s.Note(err)
}

// Queue runs a statement whose result nobody waits for.
func (s *Session) Queue(text string, args ...any) error {
	if s.Err != nil {
		return s.Err
	}
	return s.Note(s.Conn.Queue(text, args))
}

// Query runs a query and calls fn for every row.
func (s *Session) Query(text string, args []any, fn func(Row) error) error {
	if s.Err != nil {
		return s.Err
	}
	return s.Note(s.Conn.Query(text, args, fn))
}

// First scans the first row of a query, and reports whether there is one.
func (s *Session) First(text string, args []any, dest ...any) (isFound bool, err error) {
	err = s.Query(text, args, func(r Row) error {
		isFound = true
		return r.Scan(dest...)
	})
	return isFound, err
}

// InsertRows inserts rows whose values, so many for each, stand one behind another.
// The rest of the statement says what to do about conflicts.
func (s *Session) InsertRows(into string, columns int, values []any, rest string) error {
	for some := range slices.Chunk(values, columns*MaxRows) {
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
		if err := s.Queue(string(text)+")"+rest, some...); err != nil {
			return fmt.Errorf("insert into %s: %w", into, err)
		}
	}
	return nil
}

// Note remembers an error that is fatal for the transaction, and returns it.
func (s *Session) Note(err error) error {
	if err != nil && s.Err == nil && s.IsFatal(err) {
		s.Err = err
	}
	return err
}
