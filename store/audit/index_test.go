package audit

import (
	"database/sql"
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"countersign/domain/evidence"
	"countersign/store/driver"
	"countersign/store/sqlite"
)

// What the database itself would not make is found in what it reads.
func TestIndex_OrderAndUniqueness(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, create, want string
		unique             bool
	}{
		{"in order", "CREATE INDEX i ON t (a, b)", "", false},
		{"unique, but for NULL", "CREATE INDEX i ON t (b, a)", "", true},
		{"out of order", "CREATE INDEX i ON t (a DESC, b)", "index i: it is out of order", false},
		{"not unique", "CREATE INDEX i ON t (a)", "index i: two rows have what only one may have", true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "test.db")
			db, err := sql.Open("sqlite", path)
			if err == nil {
				_, err = db.Exec("CREATE TABLE t (a, b); INSERT INTO t VALUES (NULL, NULL), (NULL, NULL), (1, x'00'), (2, x''), ('1', 'x'), ('2', -1), ('2', 3); " + tt.create)
				err = errors.Join(err, db.Close())
			}
			if err != nil {
				t.Fatal(err)
			}
			s := scannerOf(t, path)
			i := &index{Index: &driver.Index{Name: "i", Columns: []string{"a", "b", "rowid"}, Keys: 2, Unique: tt.unique}}
			switch {
			case strings.HasSuffix(tt.create, "(a)"):
				i.Columns, i.Keys = []string{"a", "rowid"}, 1
			case strings.HasSuffix(tt.create, "(b, a)"):
				i.Columns = []string{"b", "a", "rowid"}
			}
			table := &tableScan{whole: " NOT INDEXED", indexes: []*index{i}, name: "t", isRead: make(chan struct{})}
			if err := table.read(s, "", func([]evidence.Value) {}); err != nil {
				t.Fatal(err)
			}
			a := evidence.NewAudit()
			if err := i.check(s, "t", a.NewPart()); err != nil {
				t.Fatal(err)
			}
			var want []string
			if tt.want != "" {
				want = []string{tt.want}
			}
			if diff := cmp.Diff(want, a.Finish("", "").Findings); diff != "" {
				t.Errorf("findings (-want +got):\n%s", diff)
			}
		})
	}
}

func scannerOf(t *testing.T, path string) driver.Scanner {
	t.Helper()
	c, err := (&sqlite.Driver{Path: path}).Connect(t.Context(), driver.Admin)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return driver.ScannerOf(c)
}
