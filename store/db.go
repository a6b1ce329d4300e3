package store

import (
	"cmp"
	"context"
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
	// Now dates the migrations that are applied and measures for Observed and
	// Writable. Rows carry the times that the domain gives them.
	Now func() time.Time
	// Committed gets all entries that became part of the log, in order and
	// without a gap, after they did: this process's after each commit, other
	// processes' within about a second. It must not block, and must not write.
	Committed func([]*evidence.Entry)
	// Observed is told of every commit group before its members are answered.
	// It must not block. It needs Now.
	Observed func(Group)
	// Fatal is told when a commit failed so that its outcome is unknown, after
	// which the database refuses everything, or when what was committed cannot be
	// kept in order. The process must end.
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
	// Hasty has commits to a file not wait for the disk: it shows what waiting
	// costs, and that a test would notice what is lost without.
	Hasty bool
}

var _ domain.Store = (*DB)(nil)

// DB is a database, opened.
type DB struct {
	dialect dialect
	writer  *writer
	readers *readers
	keys    *signing
	closed  chan struct{}
	close   func() error
	deafen  func() // ends listening to others
	hearing sync.WaitGroup
}

// errClosed is the answer to whoever comes after Close.
var errClosed = &domain.Error{Code: domain.CodeEvidenceUnavailable,
	Message: "The server is stopping. The change did not happen.", Err: errors.New("the database is closed")}

// Open opens a database: a SQLite file, which is made if it is missing, or the
// one at a postgres:// URL. It applies the migrations that it lacks. A schema
// newer than this program is refused, and so is one whose migrations were not
// this program's. A database that is not the one written last is refused with
// ErrRollback.
func Open(ctx context.Context, name string, o Options) (*DB, error) {
	d, err := dialectOf(name)
	if err != nil {
		return nil, err
	}
	if file, ok := d.(*sqlite); ok {
		file.hasty = o.Hasty
	}
	o.SigningKey, o.Head = KeyFile(name, o.SigningKey), HeadFile(name, o.Head)
	if o.Fatal == nil {
		o.Fatal = func(error) {}
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	db := &DB{dialect: d, keys: &signing{path: o.SigningKey}, readers: newReaders(d), closed: make(chan struct{})}
	db.close = sync.OnceValue(db.shut)
	if err := db.open(ctx, o); err != nil {
		if damaged(err) {
			err = fmt.Errorf("%w\nPut a backup in its place. If it is one, a journal of the file before it lies beside it: remove %[2]s-wal and %[2]s-shm, then put the backup there again", err, name)
		}
		return nil, errors.Join(fmt.Errorf("open database %s: %w", d.label(), err), db.Close())
	}
	return db, nil
}

func (db *DB) open(ctx context.Context, o Options) (err error) {
	if err := db.dialect.create(); err != nil {
		return err
	}
	c, err := openConn(ctx, db.dialect, writes)
	if err != nil {
		return err
	}
	if err := db.dialect.caution(c, o.Logger); err != nil {
		return errors.Join(err, c.close())
	}
	if err := migrate(ctx, c, o); err != nil {
		return errors.Join(err, c.close())
	}
	if db.writer, err = newWriter(ctx, c, db.keys, o); err != nil {
		return errors.Join(err, c.close())
	}
	listening, deafen := context.WithCancel(context.WithoutCancel(ctx))
	db.deafen, db.writer.polling = deafen, listening
	go db.writer.run()
	db.hearing.Go(func() { db.dialect.listen(listening, db.writer.wake) })
	db.hearing.Go(func() { db.dialect.tend(listening, db.writer) })
	return nil
}

// KeyFile is where the signing key of a database lies, unless file says where.
func KeyFile(db, file string) string {
	key, _ := filesOf(db)
	return cmp.Or(file, key)
}

// HeadFile is where the newest checkpoint of a database is kept, unless file
// says where.
func HeadFile(db, file string) string {
	_, head := filesOf(db)
	return cmp.Or(file, head)
}

// closePatience is how long Close waits for a server that does not answer.
const closePatience = 500 * time.Millisecond

// Close waits for what is running, refuses what comes later, and closes all
// connections. What a PostgreSQL server does not answer meanwhile is given up:
// whether it happened is unknown then.
func (db *DB) Close() error { return db.close() }

func (db *DB) shut() error {
	close(db.closed)
	defer time.AfterFunc(closePatience, db.dialect.abort).Stop()
	var errs []error
	for range cap(db.readers.free) {
		<-db.readers.free
		errs = append(errs, db.readers.take().close())
	}
	if db.deafen != nil {
		db.deafen()
		db.hearing.Wait()
	}
	// The writing connection is the last: closing it folds the journal of a file
	// into it.
	if db.writer != nil {
		close(db.writer.stop)
		<-db.writer.ended
		errs = append(errs, db.writer.c.close())
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
	select {
	case <-db.readers.free:
	case <-ctx.Done():
		return ctx.Err()
	case <-db.closed:
		return errClosed
	}
	c := db.readers.take()
	c.rights.since(db.writer.rights.Load())
	err = c.begin(ctx, db.dialect.words().beginRead)
	if crowded(err) && db.readers.rest(c) {
		return db.view(ctx, fn) // over one that is connected
	}
	defer db.readers.give(c)
	if err != nil {
		if ctx.Err() == nil && c.gone() {
			return away(err)
		}
		return err
	}
	defer func() {
		if err != nil && c.doomed != nil && c.gone() {
			err = away(err)
		}
		if ended := c.rollback(); err == nil {
			err = ended
		}
	}()
	return fn(&reader{c, db.keys})
}

// away is the answer while there is no connection.
func away(err error) error {
	return &domain.Error{Code: domain.CodeEvidenceUnavailable, Message: "The database cannot be reached. Until it is back nothing can be read or decided.", Err: err}
}

// Ready says whether the database can be read and its schema is this
// program's.
func (db *DB) Ready(ctx context.Context) error {
	return db.view(ctx, func(r *reader) error {
		applied, err := r.migrations()
		if err != nil {
			return err
		}
		return compatible(db.dialect, applied)
	})
}
