package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"countersign/domain/evidence"
	"countersign/store/audit"
	"countersign/store/driver"
	"countersign/store/ledger"
)

// Migration is one step of the schema.
type Migration = driver.Migration

// migrate applies what is missing, each migration in a transaction of its own.
// Two processes may start at once: each looks again under the lock, and waits for
// it as long as the other migrates, or until ctx ends.
func migrate(ctx context.Context, s *driver.Session, o Options) (err error) {
	end, err := s.WithoutTimeouts()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, end()) }()
	defer context.AfterFunc(ctx, s.Driver.Interrupt)()
	for waits := false; ; {
		missing := !migrated(s) // until now: who has the lock may be about to be done
		done, err := migrateOne(ctx, s, o)
		if done {
			return nil
		}
		if err == nil {
			continue
		}
		_ = s.Rollback() // the first error says more
		if !isLocked(err) || ctx.Err() != nil || !missing {
			return err
		}
		if !waits && o.Logger != nil {
			o.Logger.Warn("the schema has to be brought up to date, and another process has the lock: this one waits until it is done")
		}
		waits = true
	}
}

// isLocked reports whether another process held a lock for too long.
func isLocked(err error) bool {
	return errors.Is(err, driver.ErrBusy) || errors.Is(err, driver.ErrLockTimeout)
}

// migrated reports whether there is nothing to apply.
func migrated(s *driver.Session) bool {
	applied, err := s.Applied()
	return err == nil && len(applied) >= len(s.Driver.Migrations())
}

func migrateOne(ctx context.Context, s *driver.Session, o Options) (done bool, err error) {
	migrations := s.Driver.Migrations()
	if err := s.Begin(ctx); err != nil {
		return false, err
	}
	if err := s.Script(s.Driver.SQL().Record); err != nil {
		return false, err
	}
	applied, err := s.Applied()
	if err != nil {
		return false, err
	}
	if err := driver.CheckApplied(s.Driver, applied); err != nil {
		return false, err
	}
	if done = len(applied) == len(migrations); !done {
		if err := unchanged(ctx, s, o); err != nil {
			return false, err
		}
		m := migrations[len(applied)]
		if o.Now != nil {
			m.AppliedAt = o.Now()
		}
		if err := s.Script(m.Text); err != nil {
			return false, fmt.Errorf("migration %d (%s): %w", m.Number, m.Name, err)
		}
		_, err := s.Exec("INSERT INTO schema_migrations (number, name, checksum, applied_at) VALUES ($1, $2, $3, $4)",
			int64(m.Number), m.Name, m.Checksum, micros(m.AppliedAt))
		if err != nil {
			return false, fmt.Errorf("write schema_migrations: %w", err)
		}
	}
	_, err = s.Commit(false)
	return done && err == nil, err
}

// unchanged refuses to migrate a database that is not as its log accounts for it:
// what a migration writes, and what is written later, would be signed as it is. A
// new database has no log.
func unchanged(ctx context.Context, s *driver.Session, o Options) error {
	tables := 0
	_, err := s.First(s.Driver.SQL().Tables, []any{"log"}, &tables)
	if err != nil || tables == 0 {
		return err
	}
	var first int64
	if isFound, err := s.First("SELECT seq FROM log LIMIT 1", nil, &first); err != nil || !isFound {
		return err
	}
	key, err := ledger.ReadKey(o.SigningKey)
	if err != nil {
		return fmt.Errorf("it cannot be verified before it is migrated: %w", err)
	}
	a := evidence.NewAudit()
	signed, err := audit.Transaction(ctx, s, auditRecords(a), a)
	if err != nil {
		return err
	}
	if err := refusalOf(a.Finish(signed, key.VKey())); err != nil {
		return fmt.Errorf("it is not migrated: %w", err)
	}
	return nil
}

// ErrTampered says that a database is not what its log accounts for.
var ErrTampered = errors.New("it was changed after it was signed: put a backup in its place")

// refusalOf is why a database that was verified is not gone on with; nil: it is as it
// was signed.
func refusalOf(r *evidence.Report) error {
	switch {
	case r.IsTampered():
		return fmt.Errorf("%w: %q", ErrTampered, r.Findings)
	case !r.IsVerified():
		return fmt.Errorf("it cannot be verified: %q", r.Unknown)
	}
	return nil
}

// MigrationStatus lists this program's migrations and when each was applied to
// the database, which it does not change. A file that does not exist has none.
func MigrationStatus(ctx context.Context, db string) ([]Migration, error) {
	d, err := driverOf(db)
	if err != nil {
		return nil, err
	}
	status := slices.Clone(d.Migrations())
	c, err := driver.Open(ctx, d, driver.ReadOnly)
	if errors.Is(err, fs.ErrNotExist) {
		return status, nil
	}
	if err != nil {
		return nil, fmt.Errorf("open database %s: %w", d.Name(), err)
	}
	defer func() { _ = c.Close() }() // it only read
	applied, err := c.Applied()
	if err == nil {
		err = driver.CheckApplied(d, applied)
	}
	if err != nil {
		return nil, fmt.Errorf("database %s: %w", d.Name(), err)
	}
	for i, m := range applied {
		status[i].AppliedAt = m.AppliedAt
	}
	return status, nil
}
