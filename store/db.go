package store

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"countersign/domain"
	"countersign/domain/evidence"
)

// Options are what a DB needs from outside. The zero value works.
type Options struct {
	// Now dates the migrations that are applied and measures for Observed. Rows
	// carry the times that the domain gives them.
	Now func() time.Time
	// Committed gets all entries that became part of the log, in order and
	// without a gap, after they did: this process's after each commit, other
	// processes' within about a second. It must not block, and must not write.
	Committed func([]*evidence.Entry)
	// Observed is told of every commit group before its members are answered.
	// It must not block. It needs Now.
	Observed func(Group)
	// Fatal is told once when a commit failed so that its outcome is unknown.
	// The process must end: the database refuses everything from then on.
	Fatal func(error)
	// Logger hears of what no caller waits for.
	Logger *slog.Logger
	// SigningKey is the file of the key that signs checkpoints, made with the
	// first entry, and Head the file that keeps the newest checkpoint outside of
	// the database. Empty: the database's name with .key and .head.
	SigningKey, Head string
	// AcceptRestore lets Open take a database that was restored from a backup.
	// Nothing can be written to it before BeginEpoch.
	AcceptRestore bool
	// CommitDelay stands in for a slow disk in benchmarks.
	CommitDelay time.Duration
}

var _ domain.Store = (*DB)(nil)

// DB is a database file, opened.
type DB struct {
	path    string
	writing *sql.DB
	reading *sql.DB
	writer  *writer
	readers chan *conn // those free; opened in all
	opened  int
	keys    *signing
	closed  chan struct{}
	close   func() error
}

// errClosed is the answer to whoever comes after Close.
var errClosed = &domain.Error{Code: domain.CodeEvidenceUnavailable,
	Message: "The server is stopping. The change did not happen.", Err: errors.New("the database is closed")}

// Open opens the database file, makes it if it is missing, and applies the
// migrations that it lacks. A schema newer than this program is refused, and
// so is one whose migrations were not this program's. A database that is not the
// one written last is refused with ErrRollback.
func Open(ctx context.Context, path string, o Options) (*DB, error) {
	o.SigningKey, o.Head = KeyFile(path, o.SigningKey), HeadFile(path, o.Head)
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	db := &DB{path: path, keys: &signing{path: o.SigningKey}, readers: make(chan *conn, readers), closed: make(chan struct{})}
	db.close = sync.OnceValue(db.shut)
	if err := db.open(ctx, o); err != nil {
		return nil, errors.Join(fmt.Errorf("open database %s: %w", path, err), db.Close())
	}
	return db, nil
}

func (db *DB) open(ctx context.Context, o Options) (err error) {
	if err := createFile(db.path); err != nil {
		return err
	}
	if db.writing, err = openPool(db.path, 1, writeSettings()); err != nil {
		return err
	}
	c, err := connect(ctx, db.writing)
	if err != nil {
		return err
	}
	if err := migrate(c, o.Now); err != nil {
		return errors.Join(err, c.close())
	}
	if db.writer, err = newWriter(c, db.keys, o); err != nil {
		return errors.Join(err, c.close())
	}
	go db.writer.run()
	if db.reading, err = openPool(db.path, readers, readSettings()); err != nil {
		return err
	}
	for range readers {
		r, err := openConn(ctx, db.reading)
		if err != nil {
			return err
		}
		db.readers <- r
		db.opened++
	}
	return nil
}

// KeyFile is where the signing key of a database lies, unless file says where.
func KeyFile(path, file string) string { return cmp.Or(file, path+".key") }

// HeadFile is where the newest checkpoint of a database is kept, unless file
// says where.
func HeadFile(path, file string) string { return cmp.Or(file, path+".head") }

// Close waits for what is running, refuses what comes later, and closes the
// file.
func (db *DB) Close() error { return db.close() }

func (db *DB) shut() error {
	close(db.closed)
	var errs []error
	for range db.opened {
		errs = append(errs, (<-db.readers).close())
	}
	if db.writer != nil {
		close(db.writer.stop)
		<-db.writer.ended
		errs = append(errs, db.writer.c.close())
	}
	// The writing pool is the last: closing it folds the journal into the file.
	for _, pool := range []*sql.DB{db.reading, db.writing} {
		if pool != nil {
			errs = append(errs, pool.Close())
		}
	}
	return errors.Join(errs...)
}

// Tx implements domain.Store. fn runs on the goroutine of the writer: it must
// not call Tx, which would wait for itself. An error of fn is returned as it
// is. When the database fails, or another process keeps it locked, everybody
// in the group is refused with domain.CodeEvidenceUnavailable.
func (db *DB) Tx(ctx context.Context, fn func(domain.Tx) error) error {
	return db.writer.submit(ctx, fn)
}

// View implements domain.Store. It waits for a free connection until ctx ends;
// once fn has begun its queries run to their end. fn must not call View: all
// connections could be waiting for one more.
func (db *DB) View(ctx context.Context, fn func(domain.Reader) error) error {
	return db.view(ctx, func(r *reader) error { return fn(r) })
}

func (db *DB) view(ctx context.Context, fn func(*reader) error) (err error) {
	var c *conn
	select {
	case c = <-db.readers:
	case <-ctx.Done():
		return ctx.Err()
	case <-db.closed:
		return errClosed
	}
	defer func() { db.readers <- c }()
	if _, err := c.exec(sqlBeginRead); err != nil {
		return err
	}
	c.rights.begin()
	defer func() {
		c.doomed = nil
		_, ended := c.exec("ROLLBACK")
		if err == nil && ended != nil {
			err = ended
		}
	}()
	return fn(&reader{c, db.keys})
}

// Ready says whether the database can be read and its schema is this
// program's.
func (db *DB) Ready(ctx context.Context) error {
	return db.view(ctx, func(r *reader) error {
		applied, err := r.migrations()
		if err != nil {
			return err
		}
		return compatible(applied)
	})
}
