package sqlite

import (
	"context"
	"errors"
	"time"

	sqlite3 "modernc.org/sqlite/lib"

	"countersign/store/driver"
)

// The journal is folded into the file on a connection of its own: whoever
// commits would wait for it, and everybody who waits for that commit.
const (
	// CheckpointInterval is how often what was committed is folded in. A page
	// that changed often in between is written once.
	CheckpointInterval = 500 * time.Millisecond
	// journalPages, 32 MiB, is how long the journal may grow while there are
	// always commits. Then the writer waits until what was committed since it was
	// folded in last is folded in too, which is little, and begins it anew.
	journalPages = 8192
)

// Maintain folds the journal into the file until ctx ends. A full disk, and readers
// that need what is in the journal, only put it off, which is logged once. After
// any other failure of the disk nobody knows what is in the file: a server that is
// started again takes it from the journal, which still has it all.
func (d *Driver) Maintain(ctx context.Context, host driver.Host) {
	var c *conn
	defer func() {
		if c != nil {
			_ = c.Close() // nothing is open on it
		}
	}()
	files, told := d.watch(), ""
	say := func(what string, err error) {
		if told != what {
			host.Logger.Error(what, "error", err)
		}
		told = what
	}
	tick := time.NewTicker(CheckpointInterval)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		if err := files.look(); err != nil {
			host.Refuse(err)
			return
		}
		if c == nil {
			var err error
			if c, err = open(d.Path, d.writeSettings()); err != nil {
				say("the journal cannot be folded into the database, and grows", err)
				continue
			}
		}
		switch err := c.Fold(journalPages, host.Pause); resultCode(err) {
		case sqlite3.SQLITE_OK, sqlite3.SQLITE_BUSY:
			told = ""
		case sqlite3.SQLITE_FULL:
			say("the disk is full, and the journal grows: make space", err)
		default:
			host.Fatal(err)
			return
		}
	}
}

// TruncateWAL waits for those who read, a backup say, no longer than those who write
// should wait for it.
func (d *Driver) TruncateWAL(c driver.Conn) error {
	var blocked, pages, folded int
	err := c.Script("PRAGMA " + busyTimeout(truncateTimeout))
	if err == nil {
		err = c.Query("PRAGMA wal_checkpoint(TRUNCATE)", nil, func(r driver.Row) error { return r.Scan(&blocked, &pages, &folded) })
	}
	if err == nil && blocked != 0 {
		err = driver.ErrJournalInUse
	}
	return errors.Join(err, c.Script("PRAGMA "+busyTimeout(writerPoll)))
}

// Fold writes the journal into the file. One with more pages than limit is written
// once more while nobody commits: then the next commit begins it anew.
func (c *conn) Fold(limit int, pause func(func())) error {
	pages, err := c.checkpoint()
	if err == nil && pages > limit {
		pause(func() { _, err = c.checkpoint() })
	}
	return err
}

// checkpoint returns how many pages there are in the journal.
func (c *conn) checkpoint() (pages int, err error) {
	var blocked, folded int
	err = c.Query(`PRAGMA wal_checkpoint(PASSIVE)`, nil, func(r driver.Row) error { return r.Scan(&blocked, &pages, &folded) })
	return pages, err
}
