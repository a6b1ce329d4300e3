package store

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"time"

	"countersign/domain"
	"countersign/domain/evidence"
	"countersign/store/audit"
	"countersign/store/driver"
	"countersign/store/ledger"
	"countersign/store/postgres"
	"countersign/store/sqlite"
)

// Group describes transactions that shared a commit.
type Group = ledger.Group

// Options are what a DB needs from outside. The zero value works.
type Options struct {
	// Now dates the migrations that are applied and measures for Observed and
	// Writable. Rows carry the times that the domain gives them.
	Now func() time.Time
	// Committed gets all entries that became part of the log, in order and
	// without a gap, after they did: this process's after each commit, other
	// processes' within about a second. It must not block, and must not write.
	Committed func([]*evidence.Entry)
	// Observed gets every commit group before its members are answered. It must not
	// block. It needs Now.
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
	// RelaxedSync has commits to a file not wait for the disk: it shows what waiting
	// costs, and that a test would notice what is lost without.
	RelaxedSync bool
}

var _ domain.Store = (*DB)(nil)

// DB is a database, opened.
type DB struct {
	driver  driver.Driver
	ledger  *ledger.Ledger
	readers *readPool
	access  accessCache
	writes  cacheUse // of the writer's group
	closed  chan struct{}
	close   func() error
}

// Open opens a database: a SQLite file, which is made if it is missing, or the
// one at a postgres:// URL. It applies the migrations that it lacks. A schema
// newer than this program is refused, and so is one whose migrations were not
// this program's. A database that is not the one written last is refused with
// ErrRollback.
func Open(ctx context.Context, name string, o Options) (*DB, error) {
	d, err := driverOf(name)
	if err != nil {
		return nil, err
	}
	if file, ok := d.(*sqlite.Driver); ok {
		file.RelaxedSync = o.RelaxedSync
	}
	o.SigningKey, o.Head = KeyFile(name, o.SigningKey), HeadFile(name, o.Head)
	if o.Fatal == nil {
		o.Fatal = func(error) {}
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	db := &DB{driver: d, readers: newReadPool(d), closed: make(chan struct{})}
	db.close = sync.OnceValue(db.shut)
	if err := db.open(ctx, o); err != nil {
		if errors.Is(err, driver.ErrDamaged) {
			err = fmt.Errorf("%w\nPut a backup in its place. If it is one, a journal of the file before it lies beside it: remove %[2]s-wal and %[2]s-shm, then put the backup there again", err, name)
		}
		return nil, errors.Join(fmt.Errorf("open database %s: %w", d.Name(), err), db.Close())
	}
	return db, nil
}

func (db *DB) open(ctx context.Context, o Options) (err error) {
	if err := db.driver.Create(); err != nil {
		return err
	}
	s, err := driver.Open(ctx, db.driver, driver.ReadWrite)
	if err != nil {
		return err
	}
	if err := db.driver.Warn(s.Conn, o.Logger); err != nil {
		return errors.Join(err, s.Close())
	}
	if err := migrate(ctx, s, o); err != nil {
		return errors.Join(err, s.Close())
	}
	db.ledger, err = ledger.New(ctx, s, ledger.Options{
		Now: o.Now, Observed: o.Observed, Fatal: o.Fatal, Logger: o.Logger, SigningKey: o.SigningKey, Head: o.Head, AcceptRestore: o.AcceptRestore,
		Committed: func(entries []*evidence.Entry) {
			db.access.follow(entries)
			if o.Committed != nil {
				o.Committed(entries)
			}
		},
	})
	if err != nil {
		return errors.Join(err, s.Close())
	}
	db.access.start(db.ledger.Size())
	db.ledger.Start(ctx)
	return nil
}

// VKey is the public half of the key in a key file.
func VKey(path string) (string, error) {
	key, err := ledger.ReadKey(path)
	if err != nil {
		return "", err
	}
	return key.VKey(), nil
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
	defer time.AfterFunc(closePatience, db.driver.Interrupt).Stop()
	var errs []error
	for range cap(db.readers.free) {
		errs = append(errs, (<-db.readers.free).Close())
	}
	if db.ledger != nil {
		errs = append(errs, db.ledger.Close())
	}
	return errors.Join(errs...)
}

// Tx implements domain.Store. fn runs on the goroutine of the writer: it must
// not call Tx, which would wait for itself. An error of fn is returned as it
// is. When the database fails, or another process keeps it locked, the whole group is
// refused with one of the domain's errors of stores.
func (db *DB) Tx(ctx context.Context, fn func(domain.Tx) error) error {
	return db.ledger.Write(ctx, func(x *ledger.Tx) error {
		return fn(&tx{reader{x.Log, &db.access, db.writes.ofGroup(x.First())}, x})
	})
}

// View implements domain.Store. It waits for a free connection until ctx ends;
// once fn has begun its queries run to their end. fn must not call View: all
// connections could be waiting for one more.
func (db *DB) View(ctx context.Context, fn func(domain.Reader) error) error {
	return db.view(ctx, func(r *reader) error { return fn(r) })
}

func (db *DB) view(ctx context.Context, fn func(*reader) error) (err error) {
	var c *driver.Session
	select {
	case c = <-db.readers.free:
	case <-ctx.Done():
		return ctx.Err()
	case <-db.closed:
		return ledger.ErrClosed
	}
	r, err := db.ledger.Begin(ctx, c)
	if errors.Is(err, driver.ErrTooManyConns) && db.readers.rest(c) {
		return db.view(ctx, fn) // over another
	}
	defer func() { db.readers.free <- c }()
	if err != nil {
		if ctx.Err() == nil && c.IsClosed() {
			return domain.ErrStoreUnreachable.Because(err)
		}
		return err
	}
	defer func() {
		if err != nil && c.Err != nil && c.IsClosed() {
			err = domain.ErrStoreUnreachable.Because(err)
		}
		if ended := c.Rollback(); err == nil {
			err = ended
		}
	}()
	return fn(&reader{r, &db.access, new(cacheUse)})
}

// Ready reports whether the database can be read and its schema is this
// program's.
func (db *DB) Ready(ctx context.Context) error {
	return db.view(ctx, func(r *reader) error {
		applied, err := r.Conn.Applied()
		if err != nil {
			return err
		}
		return driver.CheckApplied(db.driver, applied)
	})
}

// Writable returns an error if the database cannot be written, or could not be lately.
func (db *DB) Writable(ctx context.Context) error { return db.ledger.Writable(ctx) }

// EmptyJournal removes what was deleted from the journal of a SQLite file too. It returns
// an error while other processes use the journal.
func (db *DB) EmptyJournal() (err error) {
	db.ledger.Pause(func(s *driver.Session) { err = db.driver.TruncateWAL(s.Conn) })
	return err
}

// Backup writes a copy of the database to a new file, readable by its owner
// alone. It is a snapshot; writers go on meanwhile. A file that exists is
// refused.
func (db *DB) Backup(ctx context.Context, file string) error { return db.driver.Backup(ctx, file) }

// Errors of databases.
var (
	ErrBackup   = postgres.ErrBackup
	ErrChanged  = driver.ErrChanged
	ErrSchema   = audit.ErrSchema
	ErrRollback = ledger.ErrRollback
)

// IsPostgreSQL reports whether a database is named by the URL of a PostgreSQL
// server; else it is the path of a SQLite file.
func IsPostgreSQL(db string) bool {
	return strings.HasPrefix(db, "postgres://") || strings.HasPrefix(db, "postgresql://")
}

// filesOf returns where the signing key and the head file of a database lie unless
// it is said: beside a file, else in the working directory.
func filesOf(db string) (key, head string) {
	if IsPostgreSQL(db) {
		db = "countersign"
	}
	return db + ".key", db + ".head"
}

// Label names a database in messages: what it is called, without a password.
func Label(db string) string {
	d, err := driverOf(db)
	if err != nil {
		return "the database"
	}
	return d.Name()
}

func driverOf(db string) (driver.Driver, error) {
	if IsPostgreSQL(db) {
		return postgres.New(db)
	}
	return &sqlite.Driver{Path: db}, nil
}
