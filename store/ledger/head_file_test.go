package ledger

import (
	"bytes"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// That the head file cannot be written is said once, and again when it could be in
// between.
func TestHeadFile_SaysOnceThatItCannotBeWritten(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	away := filepath.Join(t.TempDir(), "away")
	head := filepath.Join(t.TempDir(), "place", "head")
	if err := os.Mkdir(filepath.Dir(head), 0o700); err != nil {
		t.Fatal(err)
	}
	l := tempFile(t).open(t, Options{Head: head, Logger: slog.New(slog.NewTextHandler(&log, nil))})
	if err := add(t, l, "first"); err != nil {
		t.Fatal(err)
	}
	for i, tt := range []struct {
		from, to string // what is renamed
		said     int    // so often until then
	}{{filepath.Dir(head), away, 1}, {away, filepath.Dir(head), 1}, {filepath.Dir(head), away, 2}, {away, filepath.Dir(head), 2}} {
		if err := errors.Join(os.Rename(tt.from, tt.to), add(t, l, string(rune('a'+i)))); err != nil {
			t.Fatal(err)
		}
		for range 3 {
			l.runBetweenGroups(l.writeHead)
		}
		l.runBetweenGroups(func() {
			if n := strings.Count(log.String(), "the head file cannot be written"); n != tt.said {
				t.Errorf("%d: said %d times, want %d", i, n, tt.said)
			}
		})
	}
}
