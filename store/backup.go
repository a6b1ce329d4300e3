package store

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// Backup writes a copy of the database to a new file, readable by its owner
// alone. It is a snapshot; writers go on meanwhile. A file that exists is
// refused.
func (db *DB) Backup(ctx context.Context, file string) error { return db.dialect.backup(ctx, file) }

func (d *sqlite) backup(ctx context.Context, file string) (err error) {
	f, err := os.OpenFile(file, os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o600)
	if err != nil {
		return fmt.Errorf("backup: %w", err)
	}
	defer func() {
		err = errors.Join(err, f.Close())
		if err != nil {
			_ = os.Remove(file) // half a copy is worse than none
		}
	}()
	// A connection of its own: those that read may not write a copy either.
	s, err := d.open(d.path, d.writeSettings())
	if err != nil {
		return fmt.Errorf("backup: %w", err)
	}
	defer func() { err = errors.Join(err, s.close()) }()
	if _, err := s.exec("VACUUM INTO $1", []any{file}); err != nil {
		return fmt.Errorf("backup to %s: %w", file, err)
	}
	// The database does not flush the copy.
	if err := f.Sync(); err != nil {
		return fmt.Errorf("backup: %w", err)
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
