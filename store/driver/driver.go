// Package driver says what the store needs of a database, and has what both drivers
// share. Each driver is a package of its own.
package driver

import (
	"context"
	"errors"
	"log/slog"
)

// Driver is what a database does in its own way. Everything else is the same SQL on
// both.
type Driver interface {
	// Name names the database in messages, without a password.
	Name() string
	// Create makes the database if it is missing, where the program can.
	Create() error
	// Connect opens a connection. Without a database to read it returns
	// fs.ErrNotExist.
	Connect(ctx context.Context, mode Mode) (Conn, error)
	// Warn logs which of the database's settings may cost what is stored.
	Warn(c Conn, logger *slog.Logger) error
	// SQL returns the statements that differ.
	SQL() *SQL
	// Migrations returns this program's, in order.
	Migrations() []Migration
	// Readers returns how many connections read.
	Readers() int
	// HasForeignCommits reports whether others may have committed since the last
	// call. It asks over the connection that writes.
	HasForeignCommits(c Conn) (bool, error)
	// TruncateWAL writes the journal into the database and leaves nothing in it. A
	// server has its own, which is not this program's to truncate.
	TruncateWAL(c Conn) error
	// Maintain keeps the database's files in order, and wakes the host when others
	// commit, until ctx ends. It returns at once where there is nothing to do.
	Maintain(ctx context.Context, host Host)
	// SurvivesLostConn reports whether the program goes on when a connection failed
	// in the middle of a commit: the next one can find out what became of it.
	SurvivesLostConn() bool
	// Interrupt ends what connections wait for, so that a server that does not answer
	// keeps nobody from closing.
	Interrupt()
	// Backup writes a copy to a file.
	Backup(ctx context.Context, file string) error

	// The rest is for verification.

	// Schema returns what the database is made of, by name. What has nothing to do
	// with what it should be made of may be left out.
	Schema(c Conn, want map[string]string) (map[string]string, error)
	// FreshSchema returns what a new database is made of to which so many migrations
	// were applied.
	FreshSchema(ctx context.Context, applied int) (map[string]string, error)
	// Scanners begins to read over a connection, and over more beside it that see the
	// same, as far as there can be. release ends those.
	Scanners(ctx context.Context, c Conn) (list []Scanner, release func(), err error)
	// CheckPages has the database look for damage in its own files.
	CheckPages(s Scanner) (problems []string, err error)
	// Indexes returns those that have to be compared with their tables, by table.
	Indexes(c Conn) (map[string]*Indexed, error)
}

// Host is what a driver may ask of the one that writes.
type Host struct {
	Pause  func(func()) // runs a function between two groups of transactions
	Wake   func()       // others have committed
	Refuse func(error)  // nothing must be written any more
	Fatal  func(error)  // the process must end
	Logger *slog.Logger
}

// SQL has the statements that each database has its own for.
type SQL struct {
	Begin     string // of a transaction that writes: it waits until no other does
	BeginRead string // of one that reads a snapshot
	Record    string // creates the record of migrations if it is missing
	Tables    string // counts the tables with a name
	Columns   string // names the columns of a table
}

// Mode is what a connection is for.
type Mode int

const (
	ReadWrite Mode = iota // the one connection that writes
	ReadOnly              // it must not write
	Admin                 // it reads everything, takes what it takes, and leaves no trace
)

// Conn is a connection. It belongs to one goroutine at a time. Statements run to
// their end: an interrupted one would roll back the whole group it runs in.
type Conn interface {
	// Exec runs a statement and returns how many rows it changed.
	Exec(text string, args []any) (int64, error)
	// Queue runs a statement whose result nobody waits for, now or with the next one.
	// It must be one that does not fail by what callers do.
	Queue(text string, args []any) error
	// Query runs a query and calls fn for every row, until it returns ErrEnough.
	Query(text string, args []any, fn func(Row) error) error
	// Script runs statements that have no parameters. What is queued does not run. A
	// ROLLBACK without a transaction is no error.
	Script(text string) error
	// Savepoint begins a member of a group. Release keeps what it did, and RollbackTo
	// undoes it: its error says that the transaction is gone.
	Savepoint() error
	Release() error
	RollbackTo() error
	// Commit ends the transaction, and tells others of the log when it grew. An error
	// with known means that nothing was committed; without, whether it was is unknown.
	Commit(grew bool) (known bool, err error)
	// IsFatal reports whether the whole transaction is lost with this error: the disk,
	// the connection or the memory failed, not the statement.
	IsFatal(err error) bool
	// IsClosed reports whether the connection is gone, and with it what was not
	// committed.
	IsClosed() bool
	// WithoutTimeouts lets statements, and what is between them, take what they take
	// until end is called.
	WithoutTimeouts() (end func() error, err error)
	// IsUnchanged reports whether what was read can be believed: the file is as it was
	// when it was opened, if it was opened as one at rest.
	IsUnchanged() bool
	Close() error
}

// Row is a row of a result.
type Row interface {
	Columns() ([]string, error)
	Scan(dest ...any) error
}

// ErrEnough ends a query whose further rows nobody needs.
var ErrEnough = errors.New("enough rows were read")

// ErrQueued says that a statement that ran later failed: its member, which did not
// wait for it, may have come to its end, and others have relied on it.
var ErrQueued = errors.New("a statement that nobody waited for failed")

// Kinds of errors, for errors.Is.
var (
	ErrBusy         = errors.New("another process writes")
	ErrLockTimeout  = errors.New("another process has held a lock for too long")
	ErrDuplicate    = errors.New("a unique column has the value")
	ErrNoReference  = errors.New("a row refers to none that there is")
	ErrTooManyConns = errors.New("the server lets in no more connections")
	ErrDamaged      = errors.New("the file is damaged")
)

// Error is a database's error with its kind.
type Error struct {
	Kind error
	Err  error
}

func (e *Error) Error() string { return e.Err.Error() }

func (e *Error) Unwrap() []error { return []error{e.Kind, e.Err} }

// Index is an index, to be compared with its table.
type Index struct {
	Name    string
	Columns []string // all that it holds, those that say where a row lies too
	Keys    int      // so many of them, from the first, it is for
	Unique  bool
	Where   string // the rows that it holds; empty: all
}

// Indexed is a table with its indexes.
type Indexed struct {
	Whole   string // behind the table's name: what is read is the table, and no index
	Indexes []*Index
}

// ErrChanged says that somebody began to write to a file while it was read in a way
// that only a file at rest can be: what was read of it means nothing.
var ErrChanged = errors.New("it was changed while it was read")

// ErrJournalInUse says that somebody kept the journal from being truncated.
var ErrJournalInUse = errors.New("the journal is in use and still has it: do it again, or start the server again")
