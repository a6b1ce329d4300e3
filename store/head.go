package store

import (
	"errors"
	"io/fs"
	"os"

	"countersign/domain/evidence"
)

// headFile keeps the newest checkpoint outside of the database, so that an
// older copy put in its place is noticed. It is written at most once for each
// poll of the writer: what was committed since is the window in which a
// rollback is not.
type headFile struct {
	path    string
	written string // by this process
}

// read gives the checkpoint in the file, "" when there is no file.
func (h *headFile) read() (string, error) {
	text, err := os.ReadFile(h.path)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	return string(text), err
}

// write puts a checkpoint into the file, unless another process has put a later
// one of the same origin there.
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
