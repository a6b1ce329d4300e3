package store

import (
	"errors"
	"os"
	"path/filepath"
)

// writeFile writes a file that only its owner may read so that it is there
// whole, and after a power cut too, or not at all. With replace false a file
// that exists is kept, with fs.ErrExist.
func writeFile(path, text string, replace bool) (err error) {
	f, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".*") // 0600
	if err != nil {
		return err
	}
	defer func() { _ = os.Remove(f.Name()) }() // gone already where it was renamed
	_, err = f.WriteString(text)
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return err
	}
	if replace {
		err = os.Rename(f.Name(), path)
	} else {
		err = os.Link(f.Name(), path)
	}
	return errors.Join(err, syncDirectory(filepath.Dir(path)))
}
