package sqlite

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// Backup gives the copy its name when it is whole: half a copy, of a program that
// was killed, must not pass for one.
func (d *Driver) Backup(_ context.Context, file string) (err error) {
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
	c, err := open(d.Path, d.writeSettings())
	if err != nil {
		return fmt.Errorf("backup: %w", err)
	}
	defer func() { err = errors.Join(err, c.Close()) }()
	if _, err := c.Exec("VACUUM INTO $1", []any{f.Name()}); err != nil {
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

// syncDirectory has the names in a directory on the disk.
func syncDirectory(path string) error {
	d, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}
