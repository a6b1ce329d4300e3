package ledger

import (
	"errors"
	"io/fs"
	"os"

	"countersign/domain/evidence"
)

// headFile keeps the newest checkpoint outside of the database, so that a rollback is
// noticed. It is written at most once a poll: a rollback of what was committed since is
// not noticed.
type headFile struct {
	path    string
	written string // by this process
}

// read returns the checkpoint in the file, "" if there is no file.
func (h *headFile) read() (string, error) {
	text, err := os.ReadFile(h.path)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	return string(text), err
}

// write writes a checkpoint to the file, unless another process has written a later one
// of the same origin.
func (h *headFile) write(signed string) error {
	if signed == h.written || signed == "" {
		return nil
	}
	there, err := h.read()
	if err != nil {
		return err
	}
	ours, err := evidence.PeekCheckpoint(signed)
	if err != nil {
		return err
	}
	theirs, err := evidence.PeekCheckpoint(there)
	if err != nil || theirs.Origin != ours.Origin || theirs.Size < ours.Size {
		if err := writeFile(h.path, signed, true); err != nil {
			return err
		}
	}
	h.written = signed
	return nil
}

// WriteHead writes a checkpoint to a head file, unless a later one is there.
func WriteHead(path, signed string) error { return (&headFile{path: path}).write(signed) }
