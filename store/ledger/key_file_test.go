package ledger

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A key that could not take the place of the one before is not made: the log
// would go on under it.
func TestRotationWithoutAPlaceForTheKey(t *testing.T) {
	t.Parallel()
	s := &keyFile{path: filepath.Join(t.TempDir(), "key")}
	if err := os.Mkdir(s.path, 0o700); err != nil { // no file can replace it
		t.Fatal(err)
	}
	if _, err := s.prepare(""); err == nil || !strings.Contains(err.Error(), s.path) {
		t.Errorf("error %v, want one about %s", err, s.path)
	}
	if _, err := os.Stat(s.nextPath()); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a key waits: %v", err)
	}
}
