package sqlite

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"countersign/domain"
	"countersign/domain/evidence"
	"countersign/store/driver"
)

func TestScanner(t *testing.T) {
	t.Parallel()
	path := emptyFile(t)
	c, err := open(path, (&Driver{}).writeSettings())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = c.Close() }()
	err = c.Script("CREATE TABLE t (a, b); INSERT INTO t VALUES (1, 'é'), (-9223372036854775808, x'0001'), (NULL, ''), (NULL, x'')")
	if err != nil {
		t.Fatal(err)
	}
	name, err := dsn(path, readSettings())
	if err != nil {
		t.Fatal(err)
	}
	s, err := openScanner(name)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.Close() }()
	var got []evidence.Value
	err = s.Scan("SELECT a, b FROM t", func(v []evidence.Value) error {
		for _, v := range v {
			got = append(got, evidence.Value{Kind: v.Kind, Int: v.Int, Bytes: []byte(string(v.Bytes))})
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	none := []byte{}
	want := []evidence.Value{
		{Kind: evidence.Integer, Int: 1, Bytes: none}, {Kind: evidence.Text, Bytes: []byte("é")},
		{Kind: evidence.Integer, Int: -1 << 63, Bytes: none}, {Kind: evidence.Blob, Bytes: []byte{0, 1}},
		{Bytes: none}, {Kind: evidence.Text, Bytes: none}, {Bytes: none}, {Kind: evidence.Blob, Bytes: none},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("values (-want +got):\n%s", diff)
	}
	for _, query := range []string{"SELECT", "SELECT 1.5", "INSERT INTO t VALUES (1, 1)"} {
		if err := s.Scan(query, func([]evidence.Value) error { return nil }); err == nil || errors.Is(err, driver.ErrDamaged) {
			t.Errorf("%s: %v", query, err)
		}
	}
	if err := s.Scan("SELECT 1", func([]evidence.Value) error { return domain.ErrConflict }); err != domain.ErrConflict {
		t.Errorf("the reader's error became %v", err)
	}
}
