package store

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"countersign/domain/evidence"
)

// Migration is one step of the schema.
type Migration struct {
	Number    int
	Name      string
	AppliedAt time.Time // zero: not yet
	checksum  string
	text      string
}

var migrationRecord = newTable("schema_migrations", 1, func(m *Migration) []column {
	return []column{
		{"number", number(&m.Number)},
		{"name", text(&m.Name)},
		{"checksum", text(&m.checksum)},
		{"applied_at", moment(&m.AppliedAt)},
	}
})

// loadMigrations reads the files of a directory. They are named
// <number>_<name>.sql, numbered from 1 without a gap.
func loadMigrations(files fs.ReadFileFS, directory string) []Migration {
	names, err := fs.Glob(files, directory+"/*.sql")
	if err != nil {
		panic(err)
	}
	var list []Migration
	for i, name := range names {
		data, err := files.ReadFile(name)
		if err != nil {
			panic(err)
		}
		prefix, rest, _ := strings.Cut(path.Base(name), "_")
		if n, err := strconv.Atoi(prefix); err != nil || n != i+1 {
			panic("migration out of order: " + name)
		}
		sum := sha256.Sum256(data)
		list = append(list, Migration{
			Number: i + 1, Name: strings.TrimSuffix(rest, ".sql"),
			checksum: hex.EncodeToString(sum[:]), text: string(data),
		})
	}
	return list
}

// migrate applies what is missing, each migration in a transaction of its own.
// Two processes may start at once: each looks again under the lock, and waits for
// it as long as the other migrates, or until ctx ends.
func migrate(ctx context.Context, c *conn, o Options) (err error) {
	if s, bounded := c.session.(*postgresSession); bounded {
		var end func() error
		if end, err = s.unbounded(); err != nil {
			return err
		}
		defer func() { err = errors.Join(err, end()) }()
	}
	defer context.AfterFunc(ctx, c.dialect.abort)()
	for waits := false; ; {
		missing := !migrated(c) // until now: who has the lock may be about to be done
		done, err := migrateOne(ctx, c, o)
		if done {
			return nil
		}
		if err == nil {
			continue
		}
		_ = c.rollback() // the first error says more
		if !locked(err) || ctx.Err() != nil || !missing {
			return err
		}
		if !waits && o.Logger != nil {
			o.Logger.Warn("the schema has to be brought up to date, and another process has the lock: this one waits until it is done")
		}
		waits = true
	}
}

// migrated says whether there is nothing to apply.
func migrated(c *conn) bool {
	applied, err := appliedMigrations(c)
	return err == nil && len(applied) >= len(c.dialect.migrations())
}

func migrateOne(ctx context.Context, c *conn, o Options) (done bool, err error) {
	words, migrations := c.dialect.words(), c.dialect.migrations()
	if err := c.begin(ctx, words.begin); err != nil {
		return false, err
	}
	if err := c.script(words.record); err != nil {
		return false, err
	}
	x := &tx{reader: reader{c: c}}
	applied, err := x.migrations()
	if err != nil {
		return false, err
	}
	if err := compatible(c.dialect, applied); err != nil {
		return false, err
	}
	if done = len(applied) == len(migrations); !done {
		if err := unchanged(ctx, &x.reader, o); err != nil {
			return false, err
		}
		m := migrations[len(applied)]
		if o.Now != nil {
			m.AppliedAt = o.Now()
		}
		if err := c.script(m.text); err != nil {
			return false, fmt.Errorf("migration %d (%s): %w", m.Number, m.Name, err)
		}
		if err := migrationRecord.insert(x, &m); err != nil {
			return false, err
		}
	}
	_, err = c.commit(false)
	return done && err == nil, err
}

// unchanged refuses to migrate a database that is not as its log accounts for it:
// what a migration writes, and what is written later, would be signed as it is. A
// new database has no log.
func unchanged(ctx context.Context, r *reader, o Options) error {
	tables := 0
	err := r.c.row(r.c.dialect.words().tables, []any{"log"}, &tables)
	if err != nil || tables == 0 {
		return err
	}
	if size, err := r.NextSeq(); err != nil || size == 0 {
		return err
	}
	key, err := readKey(o.SigningKey)
	if err != nil {
		return fmt.Errorf("it cannot be verified before it is migrated: %w", err)
	}
	a := evidence.NewAudit()
	signed, err := tell(ctx, r, []scanner{connScanner{r.c}}, a)
	if err != nil {
		return err
	}
	if err := refused(a.Finish(signed, key.VKey())); err != nil {
		return fmt.Errorf("it is not migrated: %w", err)
	}
	return nil
}

// ErrTampered says that a database is not what its log accounts for.
var ErrTampered = errors.New("it was changed after it was signed: put a backup in its place")

// refused is why a database that was verified is not gone on with; nil: it is as it
// was signed.
func refused(r *evidence.Report) error {
	switch {
	case r.Tampered():
		return fmt.Errorf("%w: %q", ErrTampered, r.Findings)
	case !r.Verified():
		return fmt.Errorf("it cannot be verified: %q", r.Unknown)
	}
	return nil
}

// compatible refuses a schema that this program does not know.
func compatible(d dialect, applied []*Migration) error {
	migrations := d.migrations()
	if n := len(applied); n > len(migrations) {
		return fmt.Errorf("its schema has number %d, newer than this program's %d: use a newer program", applied[n-1].Number, len(migrations))
	}
	for i, m := range applied {
		if m.Number != i+1 || m.checksum != migrations[i].checksum {
			return fmt.Errorf("its migration %d (%s) is not this program's: the schema was made by something else", m.Number, m.Name)
		}
	}
	return nil
}

func (r *reader) migrations() ([]*Migration, error) { return migrationRecord.all(r, "ORDER BY number") }

// MigrationStatus lists this program's migrations and when each was applied to
// the database, which it does not change. A file that does not exist has none.
func MigrationStatus(ctx context.Context, db string) ([]Migration, error) {
	d, err := dialectOf(db)
	if err != nil {
		return nil, err
	}
	status := slices.Clone(d.migrations())
	c, err := openConn(ctx, d, reads)
	if errors.Is(err, fs.ErrNotExist) {
		return status, nil
	}
	if err != nil {
		return nil, fmt.Errorf("open database %s: %w", d.label(), err)
	}
	defer func() { _ = c.close() }() // it only read
	applied, err := appliedMigrations(c)
	if err == nil {
		err = compatible(d, applied)
	}
	if err != nil {
		return nil, fmt.Errorf("database %s: %w", d.label(), err)
	}
	for i, m := range applied {
		status[i].AppliedAt = m.AppliedAt
	}
	return status, nil
}

// appliedMigrations reads the record of a database that may have none yet.
func appliedMigrations(c *conn) ([]*Migration, error) {
	var tables int
	err := c.row(c.dialect.words().tables, []any{migrationRecord.name}, &tables)
	if err != nil || tables == 0 {
		return nil, err
	}
	return (&reader{c: c}).migrations()
}
