package ledger

import (
	"errors"
	"os"
	"path/filepath"
)

// writeFile writes a file that only its owner may read. After a power cut it is there as a
// whole or not at all. With replace false an existing file is kept, with fs.ErrExist.
func writeFile(path, text string, replace bool) (err error) {
	f, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".*") // 0600
	if err != nil {
		return err
	}
	defer func() { _ = os.Remove(f.Name()) }() // it is gone if it was renamed
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

func syncDirectory(path string) error {
	d, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}
