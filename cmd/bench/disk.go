package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"syscall"
)

// Magic numbers of file systems that keep nothing.
const (
	tmpfs = 0x01021994
	ramfs = 0x858458f6
)

// onDisk refuses directories in memory: commits would cost nothing there.
func onDisk(dir string) error {
	var s syscall.Statfs_t
	if err := syscall.Statfs(dir, &s); err != nil {
		return fmt.Errorf("file system of %s: %w", dir, err)
	}
	if kind := uint64(s.Type); kind == tmpfs || kind == ramfs {
		return fmt.Errorf("%s is in memory: say --dir with a directory on a disk", dir)
	}
	return nil
}

// copyFiles copies the files of a directory into another.
func copyFiles(from, to string) error {
	entries, err := os.ReadDir(from)
	for _, entry := range entries {
		if entry.Type().IsRegular() && err == nil {
			err = copyFile(filepath.Join(from, entry.Name()), filepath.Join(to, entry.Name()))
		}
	}
	return err
}

func copyFile(from, to string) (err error) {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return errors.Join(err, out.Close())
}
