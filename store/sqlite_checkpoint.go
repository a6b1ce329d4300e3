package store

import (
	"context"
	"errors"
	"fmt"
	"time"

	sqlite3 "modernc.org/sqlite/lib"
)

// The journal is folded into the file on a connection of its own: whoever
// commits would wait for it, and everybody who waits for that commit.
const (
	// checkpointInterval is how often what was committed is folded in. A page
	// that changed often in between is written once.
	checkpointInterval = 500 * time.Millisecond
	// journalPages, 32 MiB, is how long the journal may grow while there are
	// always commits. Then the writer waits until what was committed since it was
	// folded in last is folded in too, which is little, and begins it anew.
	journalPages = 8192
)

// tend folds the journal into the file until ctx ends. A full disk, and readers
// that need what is in the journal, only put it off, which is logged once. After
// any other failure of the disk nobody knows what is in the file: a server that is
// started again takes it from the journal, which still has it all.
func (d *sqlite) tend(ctx context.Context, w *writer) {
	var s *sqliteSession
	defer func() {
		if s != nil {
			_ = s.close() // nothing is open on it
		}
	}()
	files, told := d.watch(), ""
	say := func(what string, err error) {
		if told != what {
			w.logger.Error(what, "error", err)
		}
		told = what
	}
	tick := time.NewTicker(checkpointInterval)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		if err := files.look(); err != nil {
			w.refuse(err)
			return
		}
		if s == nil {
			var err error
			if s, err = d.open(d.path, d.writeSettings()); err != nil {
				say("the journal cannot be folded into the database, and grows", err)
				continue
			}
		}
		switch err := s.fold(journalPages, w.between); resultCode(err) {
		case sqlite3.SQLITE_OK, sqlite3.SQLITE_BUSY:
			told = ""
		case sqlite3.SQLITE_FULL:
			say("the disk is full, and the journal grows: make space", err)
		default:
			w.fatal(err)
			return
		}
	}
}

// errJournalInUse says that somebody kept the journal from being emptied.
var errJournalInUse = errors.New("the journal is in use and still has it: do it again, or start the server again")

// empty waits for those who read, a backup say, no longer than those who write
// should wait for it.
func (d *sqlite) empty(w *writer) (err error) {
	w.between(func() {
		var blocked, pages, folded int
		err = w.c.script("PRAGMA busy_timeout = 1000")
		if err == nil {
			err = w.c.row("PRAGMA wal_checkpoint(TRUNCATE)", nil, &blocked, &pages, &folded)
		}
		if err == nil && blocked != 0 {
			err = errJournalInUse
		}
		err = errors.Join(err, w.c.script(fmt.Sprintf("PRAGMA busy_timeout = %d", lockGlance.Milliseconds())))
	})
	return err
}

// refuse has the writer write nothing any more.
func (w *writer) refuse(cause error) {
	w.between(func() { _ = w.fail(cause) }) // nobody waits for this answer
}

// fold folds the journal in. One with more pages than limit is folded in once
// more while nobody commits: then the next commit begins it anew.
func (s *sqliteSession) fold(limit int, between func(func())) error {
	pages, err := s.checkpoint()
	if err == nil && pages > limit {
		between(func() { _, err = s.checkpoint() })
	}
	return err
}

// checkpoint says how many pages there are in the journal.
func (s *sqliteSession) checkpoint() (pages int, err error) {
	var blocked, folded int
	err = s.query(`PRAGMA wal_checkpoint(PASSIVE)`, nil, func(r row) error { return r.Scan(&blocked, &pages, &folded) })
	return pages, err
}
