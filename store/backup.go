package store

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// EmptyJournal leaves nothing of what was forgotten in the journal of a SQLite
// file, which others may have open. It says so if they keep it from that.
func (db *DB) EmptyJournal() error { return db.dialect.empty(db.writer) }

// Backup writes a copy of the database to a new file, readable by its owner
// alone. It is a snapshot; writers go on meanwhile. A file that exists is
// refused.
func (db *DB) Backup(ctx context.Context, file string) error { return db.dialect.backup(ctx, file) }

// backup gives the copy its name when it is whole: half a copy, of a program that
// was killed, must not pass for one.
func (d *sqlite) backup(ctx context.Context, file string) (err error) {
	if _, err := os.Lstat(file); !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("backup to %s: %w", file, cmp.Or(err, fs.ErrExist))
	}
	f, err := os.CreateTemp(filepath.Dir(file), filepath.Base(file)+".*") // 0600
	if err != nil {
		return fmt.Errorf("backup: %w", err)
	}
	defer func() {
		err = errors.Join(err, f.Close())
		_ = os.Remove(f.Name()) // gone already where it was renamed
	}()
	// A connection of its own: those that read may not write a copy either.
	s, err := d.open(d.path, d.writeSettings())
	if err != nil {
		return fmt.Errorf("backup: %w", err)
	}
	defer func() { err = errors.Join(err, s.close()) }()
	if _, err := s.exec("VACUUM INTO $1", []any{f.Name()}); err != nil {
		return fmt.Errorf("backup to %s: %w", file, err)
	}
	// The database does not flush the copy.
	if err := f.Sync(); err != nil {
		return fmt.Errorf("backup: %w", err)
	}
	if err = os.Link(f.Name(), file); err != nil && !errors.Is(err, fs.ErrExist) {
		err = os.Rename(f.Name(), file) // a disk without links, which cannot be asked to replace nothing
	}
	if err != nil {
		return fmt.Errorf("backup to %s: %w", file, err)
	}
	return syncDirectory(filepath.Dir(file))
}

func syncDirectory(path string) error {
	d, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}
