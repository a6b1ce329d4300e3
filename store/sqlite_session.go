package store

import (
	"errors"
	"fmt"
	"strings"

	sqlite3 "modernc.org/sqlite/lib"
)

// maxStatements bounds a connection's cache: the filters of lists combine to
// more texts than are worth keeping prepared.
const maxStatements = 256

// sqliteSession is a connection with its prepared statements. In a savepoint the
// database copies every page before it is changed, once for each member of a
// group: so one that only writes what nobody waits for gets none.
type sqliteSession struct {
	*sqliteHandle
	unmarked   bool                        // a member has its turn, and no savepoint yet
	waiting    []written                   // its statements
	statements map[string]*sqliteStatement // those that do not run
	name       string                      // of the file with settings, for verification
	clean      func()                      // at the end; may be nil
	atRest     func() bool                 // whether the file still is; nil: it need not be
}

// written is a statement that is to run.
type written struct {
	text string
	args []any
}

func openSQLite(name string) (*sqliteSession, error) {
	h, err := openHandle(name)
	if err != nil {
		return nil, err
	}
	return &sqliteSession{sqliteHandle: h, statements: map[string]*sqliteStatement{}, name: name}, nil
}

// run runs a statement, prepared as long as the connection lasts. One that runs
// already, further out, is prepared anew.
func (s *sqliteSession) run(text string, args []any, fn func(row) error) (err error) {
	statement := s.statements[text]
	if delete(s.statements, text); statement == nil {
		if statement, err = s.prepare(text); err != nil {
			return err
		}
	}
	defer s.keep(text, statement)
	if s.unmarked && (len(s.waiting) > 0 || !statement.reads()) {
		if err := s.settle(); err != nil {
			return err
		}
	}
	return statement.run(args, fn)
}

// settle gives the member its savepoint, and runs what waits in it.
func (s *sqliteSession) settle() error {
	s.unmarked = false
	if err := s.run("SAVEPOINT member", nil, nil); err != nil {
		return err
	}
	return s.flush()
}

// flush runs what waits.
func (s *sqliteSession) flush() error {
	waiting := s.waiting
	s.waiting = s.waiting[:0]
	for _, w := range waiting {
		if err := s.run(w.text, w.args, nil); err != nil {
			return fmt.Errorf("%w: %w", errLate, err)
		}
	}
	clear(waiting)
	return nil
}

func (s *sqliteSession) keep(text string, statement *sqliteStatement) {
	if inner := s.statements[text]; inner != nil {
		inner.finalize()
	} else if len(s.statements) >= maxStatements {
		for old, dropped := range s.statements {
			delete(s.statements, old)
			dropped.finalize()
			break
		}
	}
	s.statements[text] = statement
}

func (s *sqliteSession) exec(text string, args []any) (int64, error) {
	if err := s.run(text, args, nil); err != nil {
		return 0, err
	}
	return sqlite3.Xsqlite3_changes64(s.tls, s.db), nil
}

func (s *sqliteSession) query(text string, args []any, fn func(row) error) error {
	if err := s.run(text, args, fn); err != errEnough {
		return err
	}
	return nil
}

func (s *sqliteSession) script(text string) error {
	s.drop()
	if strings.Contains(text, ";") {
		return s.sqliteHandle.script(text)
	}
	return s.run(text, nil, nil)
}

func (s *sqliteSession) later(text string, args []any) error {
	if s.unmarked {
		s.waiting = append(s.waiting, written{text, args})
		return nil
	}
	return s.run(text, args, nil)
}

func (s *sqliteSession) mark() error {
	s.unmarked = true
	return nil
}

func (s *sqliteSession) release() error {
	if !s.unmarked {
		return s.run("RELEASE member", nil, nil)
	}
	s.unmarked = false
	if err := s.held(); err != nil {
		return err
	}
	return s.flush()
}

func (s *sqliteSession) undo() error {
	if s.unmarked { // nothing of it ran
		s.drop()
		return s.held()
	}
	if err := s.run("ROLLBACK TO member", nil, nil); err != nil {
		return err
	}
	return s.release()
}

// held says whether there still is a transaction: without one, every statement
// would be committed by itself.
func (s *sqliteSession) held() error {
	if sqlite3.Xsqlite3_get_autocommit(s.tls, s.db) != 0 {
		return fmt.Errorf("%w: the transaction is gone", errLate)
	}
	return nil
}

// drop forgets what waits.
func (s *sqliteSession) drop() { s.waiting, s.unmarked = nil, false }

// commit has nobody to tell: others look.
func (s *sqliteSession) commit(bool) (known bool, err error) {
	end := func() error { return s.run("COMMIT", nil, nil) }
	if s.journal != nil {
		err = s.journal.commit(end)
	} else {
		err = end()
	}
	code := resultCode(err)
	return code == sqlite3.SQLITE_FULL || code == sqlite3.SQLITE_BUSY, err
}

func (s *sqliteSession) gone() bool { return false }

func (s *sqliteSession) close() error {
	for _, statement := range s.statements {
		statement.finalize()
	}
	s.sqliteHandle.close()
	if s.clean != nil {
		s.clean()
	}
	return nil
}

func (s *sqliteSession) dooms(err error) bool {
	if errors.Is(err, errLate) {
		return true
	}
	switch resultCode(err) {
	case sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_NOMEM,
		sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_READONLY:
		return true
	}
	return false
}

// resultCode is the primary result code of a database error, 0 for others.
func resultCode(err error) int {
	if e, ok := errors.AsType[*sqliteError](err); ok {
		return e.code & 0xff
	}
	return 0
}

// nothingOpen says whether a ROLLBACK failed because there was no transaction.
func nothingOpen(err error) bool { return resultCode(err) == sqlite3.SQLITE_ERROR }

// busy says whether another process held the lock for too long.
func busy(err error) bool { return resultCode(err) == sqlite3.SQLITE_BUSY }
