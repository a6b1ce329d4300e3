// Package audit reads a whole database for a verification: the log with its tree, the
// rows that the log covers, and the indexes. It works with any driver and changes nothing.
package audit

import (
	"context"
	"errors"

	"countersign/domain/evidence"
	"countersign/store/driver"
)

// Records are what a database holds beside its log.
type Records struct {
	Tables []Table
	Checks []Check
}

// Table is a table that the log covers.
type Table struct {
	Name    string
	Columns []string
	Keys    int // so many columns, from the first, are the key
}

// Check looks at rows once the log has been read.
type Check struct {
	Query string
	Row   func(p *evidence.Part, v []evidence.Value)
}

// ErrSchema says that a database is not of this program's schema.
var ErrSchema = errors.New("it is not of this program's schema: run countersign migrate")

// Database reads everything, and returns the newest checkpoint that is stored. It begins
// a transaction, and others on connections that the driver adds. After driver.ErrChanged
// nothing that was read can be trusted, not even that the file is damaged.
func Database(ctx context.Context, s *driver.Session, records Records, a *evidence.Audit) (signed string, err error) {
	signed, err = database(ctx, s, records, a)
	if !s.IsUnchanged() {
		return "", driver.ErrChanged
	}
	return signed, err
}

func database(ctx context.Context, s *driver.Session, records Records, a *evidence.Audit) (signed string, err error) {
	scanners, release, err := s.Driver.Scanners(ctx, s.Conn)
	if err != nil {
		return "", err
	}
	defer release()
	applied, err := s.Applied()
	if err != nil {
		return "", err
	}
	if !driver.IsCurrent(s.Driver, applied) {
		return "", ErrSchema
	}
	return all(ctx, s, scanners, records, a)
}

// Transaction reads everything as the transaction sees it that is open.
func Transaction(ctx context.Context, s *driver.Session, records Records, a *evidence.Audit) (signed string, err error) {
	return all(ctx, s, []driver.Scanner{driver.ScannerOf(s.Conn)}, records, a)
}

// all reads large tables over all scanners, which must see the same state.
func all(ctx context.Context, s *driver.Session, scanners []driver.Scanner, records Records, a *evidence.Audit) (signed string, err error) {
	if _, err = s.First("SELECT checkpoint FROM log_head WHERE id = 1", nil, &signed); err != nil {
		return "", err
	}
	applied, err := s.Applied()
	if err != nil {
		return signed, err
	}
	if err := checkSchema(ctx, s, len(applied), a.NewPart()); err != nil {
		return signed, err
	}
	if err := checkHead(s, a.NewPart()); err != nil {
		return signed, err
	}
	if err := addKeyChanges(s, a); err != nil {
		return signed, err
	}
	if len(applied) < len(s.Driver.Migrations()) {
		if records.Tables, err = storedTables(s, records.Tables); err != nil {
			return signed, err
		}
	}
	t := &run{driver: s.Driver, audit: a, isLogRead: make(chan struct{})}
	if err := t.addTasks(s, records); err != nil {
		return signed, err
	}
	return signed, t.do(ctx, scanners)
}

// checkHead compares the size beside the checkpoint with the one in it.
func checkHead(s *driver.Session, p *evidence.Part) error {
	return s.Query("SELECT size, checkpoint FROM log_head", nil, func(rows driver.Row) error {
		var size int64
		var signed string
		if err := rows.Scan(&size, &signed); err != nil {
			return err
		}
		if c, err := evidence.PeekCheckpoint(signed); err == nil && c.Size != size {
			p.AddFinding("checkpoint: the column size does not repeat it")
		}
		return nil
	})
}

// addKeyChanges adds the checkpoints with which keys took over, in order.
func addKeyChanges(s *driver.Session, a *evidence.Audit) error {
	return s.Query("SELECT size, checkpoint FROM log_handovers ORDER BY size", nil, func(rows driver.Row) error {
		var h evidence.SignedKeyChange
		err := rows.Scan(&h.Size, &h.Signed)
		a.AddKeyChange(h)
		return err
	})
}
