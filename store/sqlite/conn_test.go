package sqlite

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"countersign/domain"
	"countersign/store/driver"
)

// What is bound comes back as it was, however large or empty, and a statement
// that runs inside of itself, or has failed, disturbs nobody.
func TestConn_Statements(t *testing.T) {
	t.Parallel()
	if s, err := open(filepath.Join(t.TempDir(), "missing.db"), readSettings()); err == nil {
		_ = s.Close()
		t.Error("a file that is not there was opened to be read")
	}
	s, err := open(emptyFile(t), (&Driver{}).writeSettings())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.Close() }()
	if err := s.Script("CREATE TABLE t (n INTEGER PRIMARY KEY, v ANY) STRICT; CREATE TABLE u (n INTEGER)"); err != nil {
		t.Fatal(err)
	}
	values := []any{
		nil, int64(-1 << 63), int64(1<<63 - 1), "", []byte{}, "a\x00b", "é\U0010FFFF", []byte{0, 255},
		strings.Repeat("x", 128<<10), make([]byte, 64<<10+1), "short again",
	}
	for i, v := range values {
		if n, err := s.Exec("INSERT INTO t (v, n) VALUES ($2, $1)", []any{i, v}); err != nil || n != 1 {
			t.Fatalf("value %d: %d rows, %v", i, n, err)
		}
	}
	const all = "SELECT v FROM t ORDER BY n"
	var outer, inner []any
	err = s.Query(all, nil, func(r driver.Row) error {
		var v any
		if err := r.Scan(&v); err != nil {
			return err
		}
		if outer = append(outer, v); len(outer) > 1 {
			return nil
		}
		return s.Query(all, nil, func(r driver.Row) error {
			var v any
			err := r.Scan(&v)
			inner = append(inner, v)
			return err
		})
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, got := range [][]any{outer, inner} {
		if diff := cmp.Diff(values, got, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("values (-want +got):\n%.500s", diff)
		}
	}

	for text, args := range map[string][]any{
		"SELECT": nil, "SELECT $2": {1}, "SELECT $1": {struct{}{}},
		"INSERT INTO t (n) VALUES (0)": nil, "SELECT v FROM missing": nil, `SELECT "no column"`: nil,
	} {
		for range 2 { // what has failed fails in the same way again
			if _, err := s.Exec(text, args); err == nil {
				t.Errorf("%s succeeded", text)
			}
		}
	}
	if err := s.Query(all, nil, func(driver.Row) error { return domain.ErrConflict }); !errors.Is(err, domain.ErrConflict) {
		t.Errorf("the reader's error became %v", err)
	}
	if err := s.Query(all, nil, func(r driver.Row) error { return r.Scan(new(any), new(any)) }); err == nil {
		t.Error("one column was read into two")
	}
	if n, err := s.Exec("DELETE FROM t WHERE n > $1", []any{2}); err != nil || n != int64(len(values)-3) {
		t.Errorf("%d rows deleted, %v", n, err)
	}
}

// emptyFile is a database file with nothing in it.
func emptyFile(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "test.db")
	if err := createFile(path); err != nil {
		t.Fatal(err)
	}
	return path
}
