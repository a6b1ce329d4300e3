package sqlite

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// watched is the files of a database that is open, to notice what is done to them
// from outside. What is written to one that is not in its place any more ends
// with the process that has it open; and who opens what is there instead does
// not wait for this process's locks.
type watched struct {
	places []string
	found  []os.FileInfo // there, when they were opened to be written; nil: nothing
	size   int64         // of the database's own file, at the last look
}

// watch is for while a connection has the files open: others leave the journal in
// its place then.
func (d *Driver) watch() *watched {
	w := &watched{places: []string{d.Path}, found: []os.FileInfo{d.file}, size: d.file.Size()}
	path, err := filepath.EvalSymlinks(d.Path) // the journal is beside the file itself
	if err != nil {
		return w // the first look says more
	}
	for _, place := range []string{path + "-wal", path + "-shm"} {
		found, err := os.Stat(place)
		if err != nil {
			found = nil
		}
		w.places, w.found = append(w.places, place), append(w.found, found)
	}
	return w
}

// look says why nothing must be written any more. What cannot be found out now
// may be the next time. A file that was cut, or had a copy written over it, may
// be damaged where nobody reads; the program itself never makes it smaller.
func (w *watched) look() error {
	for i, place := range w.places {
		now, err := os.Stat(place)
		switch {
		case errors.Is(err, fs.ErrNotExist) || err == nil && !os.SameFile(w.found[i], now):
			return fmt.Errorf("the file %s was removed or replaced while it was in use, and what was written since then may be lost: stop the server first", place)
		case err != nil || i > 0:
		case now.Size() < w.size:
			return fmt.Errorf("the file %s became smaller while it was in use: if it was cut or written over, put a backup in its place", place)
		default:
			w.size = now.Size()
		}
	}
	return nil
}
