package store

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"countersign/domain"
	"countersign/domain/evidence"
)

// An index that does not hold what its table does is found, whether the log
// covers the table or not.
func TestIndexes_AreHeldToTheirTables(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, index, change string // made while the database does not know of the index
	}{
		{"a row is missing", "volatile_sessions_user", "INSERT INTO volatile_sessions (hash, user_id, created_at, seen_at) VALUES (x'02', 'u', 1, 1)"},
		{"a row too many", "volatile_sessions_user", "DELETE FROM volatile_sessions"},
		{"a row is another", "volatile_sessions_user", "UPDATE volatile_sessions SET user_id = 'v'"},
		{"of the log", "log_object", "DROP TRIGGER log_no_update; UPDATE log SET object_id = 'x'"},
		{"a row is in it now", "log_confirm", "DROP TRIGGER log_no_update; UPDATE log SET confirm_id = 'x'"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			path := tempFile(t)
			db := openTest(t, path, Options{})
			if err := db.Tx(t.Context(), addRole("r1")); err != nil {
				t.Fatal(err)
			}
			for _, change := range []string{
				"INSERT INTO volatile_sessions (hash, user_id, created_at, seen_at) VALUES (x'01', 'u', 1, 1)",
				"CREATE TABLE hidden AS SELECT * FROM sqlite_schema WHERE name = '" + tt.index + "'",
				"PRAGMA writable_schema = ON; DELETE FROM sqlite_schema WHERE name = '" + tt.index + "'",
				tt.change,
				"PRAGMA writable_schema = ON; INSERT INTO sqlite_schema SELECT * FROM hidden",
				"DROP TABLE hidden",
			} {
				if err := meddle(t, path, change); err != nil {
					t.Fatal(err)
				}
			}
			want := "index " + tt.index + ": it does not hold the rows of its table"
			if report := verified(t, path); !slices.Contains(report.Findings, want) {
				t.Errorf("findings %q, want %q", report.Findings, want)
			}
		})
	}
}

// Every index of the schema is held to its table, but for those that are the
// table.
func TestIndexes_AreAllKnown(t *testing.T) {
	t.Parallel()
	db := openTest(t, tempFile(t), Options{})
	err := db.view(t.Context(), func(r *reader) error {
		want, err := r.strings("SELECT name FROM sqlite_schema WHERE type = 'index' ORDER BY name")
		if err != nil {
			return err
		}
		indexes, err := db.dialect.indexes(r)
		var got []string
		for table, of := range indexes {
			for _, i := range of.indexes {
				got = append(got, i.name)
				if i.keys == 0 || len(i.columns) < i.keys || slices.Contains(i.columns, "") || strings.HasPrefix(i.name, "sqlite_") && !i.unique {
					t.Errorf("%s of %s: %+v", i.name, table, i)
				}
			}
		}
		slices.Sort(got)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("indexes (-schema +known):\n%s", diff)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

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
			path := tempFile(t)
			err := meddle(t, path, "CREATE TABLE t (a, b); INSERT INTO t VALUES (NULL, NULL), (NULL, NULL), (1, x'00'), (2, x''), ('1', 'x'), ('2', -1), ('2', 3); "+tt.create)
			if err != nil {
				t.Fatal(err)
			}
			s := scannerOf(t, path)
			i := &index{name: "i", columns: []string{"a", "b", "rowid"}, keys: 2, unique: tt.unique}
			switch {
			case strings.HasSuffix(tt.create, "(a)"):
				i.columns, i.keys = []string{"a", "rowid"}, 1
			case strings.HasSuffix(tt.create, "(b, a)"):
				i.columns = []string{"b", "a", "rowid"}
			}
			table := &wholeTable{indexed: indexed{" NOT INDEXED", []*index{i}}, name: "t", told: make(chan struct{})}
			if err := table.read(s, "", func([]evidence.Value) {}); err != nil {
				t.Fatal(err)
			}
			a := evidence.NewAudit()
			if err := i.check(s, "t", a.Part()); err != nil {
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

func scannerOf(t *testing.T, path string) *sqliteScanner {
	t.Helper()
	name, err := dsn(path, readSettings())
	if err != nil {
		t.Fatal(err)
	}
	s, err := openSQLiteScanner(name)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.close)
	return s
}

func TestSQLiteScanner(t *testing.T) {
	t.Parallel()
	path := tempFile(t)
	err := meddle(t, path, "CREATE TABLE t (a, b); INSERT INTO t VALUES (1, 'é'), (-9223372036854775808, x'0001'), (NULL, ''), (NULL, x'')")
	if err != nil {
		t.Fatal(err)
	}
	s := scannerOf(t, path)
	var got []evidence.Value
	err = s.scan("SELECT a, b FROM t", func(v []evidence.Value) error {
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
	for query, want := range map[string]bool{"SELECT": false, "SELECT 1.5": false, "INSERT INTO t VALUES (1, 1)": false} {
		if err := s.scan(query, func([]evidence.Value) error { return nil }); err == nil || damaged(err) != want {
			t.Errorf("%s: %v", query, err)
		}
	}
	if err := s.scan("SELECT 1", func([]evidence.Value) error { return domain.ErrConflict }); err != domain.ErrConflict {
		t.Errorf("the reader's error became %v", err)
	}
}
