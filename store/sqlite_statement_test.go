package store

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"countersign/domain"
)

// What is bound comes back as it was, however large or empty, and a statement
// that runs inside of itself, or has failed, disturbs nobody.
func TestSQLiteStatement(t *testing.T) {
	t.Parallel()
	name, err := dsn(tempFile(t), readSettings())
	if err != nil {
		t.Fatal(err)
	}
	if s, err := openSQLite(name + "&mode=ro"); err == nil {
		_ = s.close()
		t.Error("a file that is not there was opened to be read")
	}
	path := tempFile(t)
	if err := createFile(path); err != nil {
		t.Fatal(err)
	}
	d := &sqlite{path: path}
	s, err := d.open(path, d.writeSettings())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.close() }()
	if err := s.script("CREATE TABLE t (n INTEGER PRIMARY KEY, v ANY) STRICT; CREATE TABLE u (n INTEGER)"); err != nil {
		t.Fatal(err)
	}
	values := []any{
		nil, int64(-1 << 63), int64(1<<63 - 1), "", []byte{}, "a\x00b", "é\U0010FFFF", []byte{0, 255},
		strings.Repeat("x", 2*maxRoom), make([]byte, maxRoom+1), "short again",
	}
	for i, v := range values {
		if n, err := s.exec("INSERT INTO t (v, n) VALUES ($2, $1)", []any{i, v}); err != nil || n != 1 {
			t.Fatalf("value %d: %d rows, %v", i, n, err)
		}
	}
	const all = "SELECT v FROM t ORDER BY n"
	var outer, inner []any
	err = s.query(all, nil, func(r row) error {
		var v any
		if err := r.Scan(&v); err != nil {
			return err
		}
		if outer = append(outer, v); len(outer) > 1 {
			return nil
		}
		return s.query(all, nil, func(r row) error {
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
		if diff := cmp.Diff(values, got); diff != "" {
			t.Errorf("values (-want +got):\n%.500s", diff)
		}
	}

	for text, args := range map[string][]any{
		"SELECT": nil, "SELECT $2": {1}, "SELECT $1": {struct{}{}}, "SELECT ?": {1},
		"INSERT INTO t (n) VALUES (0)": nil, "SELECT v FROM missing": nil, `SELECT "no column"`: nil,
	} {
		for range 2 { // what has failed fails in the same way again
			if _, err := s.exec(text, args); err == nil {
				t.Errorf("%s succeeded", text)
			}
		}
	}
	if err := s.query(all, nil, func(row) error { return domain.ErrConflict }); !errors.Is(err, domain.ErrConflict) {
		t.Errorf("the reader's error became %v", err)
	}
	if err := s.query(all, nil, func(r row) error { return r.Scan(new(any), new(any)) }); err == nil {
		t.Error("one column was read into two")
	}
	if n, err := s.exec("DELETE FROM t WHERE n > $1", []any{2}); err != nil || n != int64(len(values)-3) {
		t.Errorf("%d rows deleted, %v", n, err)
	}
}

// A statement for which there was no memory once runs when there is some.
func TestSQLiteStatement_GoesOnAfterNoMemory(t *testing.T) {
	t.Parallel()
	s, err := openSQLite("file:memory?mode=memory")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.close() }()
	const text = "SELECT $1"
	if _, err := s.exec(text, []any{"a"}); err != nil {
		t.Fatal(err)
	}
	if s.statements[text].make(1 << 60); s.statements[text].texts != 0 {
		t.Fatal("there was memory")
	}
	if _, err := s.exec(text, []any{"b"}); err != nil {
		t.Error(err)
	}
}
