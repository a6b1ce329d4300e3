package store

import (
	"regexp"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"countersign/store/driver"
	"countersign/store/ledger"
	"countersign/store/postgres"
	"countersign/store/sqlite"
)

// declared finds what a migration makes, and the columns of tables.
var declared = regexp.MustCompile(`(?m)^(?:CREATE (?:UNIQUE )?(?:TABLE|INDEX) (\w+)|    ([a-z]\w*) )`)

// Both databases have the same tables, columns and indexes: the same SQL must
// work on both, and as well.
func TestMigrationsAgree(t *testing.T) {
	t.Parallel()
	if n, m := len((&sqlite.Driver{}).Migrations()), len((&postgres.Driver{}).Migrations()); n != m {
		t.Fatalf("%d migrations of SQLite, %d of PostgreSQL", n, m)
	}
	names := func(m Migration) (list []string) {
		for _, found := range declared.FindAllStringSubmatch(m.Text, -1) {
			list = append(list, found[1]+found[2])
		}
		return list
	}
	for i, m := range (&sqlite.Driver{}).Migrations() {
		if diff := cmp.Diff(names(m), names((&postgres.Driver{}).Migrations()[i])); diff != "" {
			t.Errorf("migration %d (-SQLite +PostgreSQL):\n%s", m.Number, diff)
		}
	}
}

// What is moved from one database to the other is every table.
func TestEveryTableIsMoved(t *testing.T) {
	t.Parallel()
	var want, got []string
	for _, m := range (&sqlite.Driver{}).Migrations() {
		for _, found := range regexp.MustCompile(`(?m)^CREATE TABLE (\w+)`).FindAllStringSubmatch(m.Text, -1) {
			want = append(want, found[1])
		}
	}
	for _, s := range moved {
		got = append(got, s.name)
	}
	slices.Sort(want)
	slices.Sort(got)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("tables (-made +moved):\n%s", diff)
	}
}

// The search index of an earlier program lacked the words of its newest confirms:
// the migration fills them in.
func TestMigration_FillsTheSearchIndex(t *testing.T) {
	both(t, func(t *testing.T, name string) {
		db := openTest(t, name, Options{})
		db.ledger.Pause(func(s *driver.Session) {
			for _, text := range []string{
				"INSERT INTO volatile_words (requested_seq, words) VALUES (1, ' old words '), (7, ' pay é% pay '), (8, '  '), (9, ' last ')",
				"INSERT INTO volatile_counts (name, n) VALUES ('turned', 7)",
				"INSERT INTO volatile_search (term, requested_seq) VALUES ('old', 1), ('words', 1)",
				db.driver.Migrations()[2].Text,
			} {
				if err := s.Script(text); err != nil {
					t.Error(err)
				}
			}
			got, err := (&reader{Reader: &ledger.Reader{Conn: s}}).strings("SELECT requested_seq || ' ' || term FROM volatile_search ORDER BY 1")
			if diff := cmp.Diff([]string{"1 old", "1 words", "7 pay", "7 é%", "9 last"}, got); err != nil || diff != "" {
				t.Errorf("%v, index (-want +got):\n%s", err, diff)
			}
		})
	})
}
