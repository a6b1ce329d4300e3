package store

import (
	"regexp"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// declared finds what a migration makes, and the columns of tables.
var declared = regexp.MustCompile(`(?m)^(?:CREATE (?:UNIQUE )?(?:TABLE|INDEX) (\w+)|    ([a-z]\w*) )`)

// Both databases have the same tables, columns and indexes: the same SQL must
// work on both, and as well.
func TestMigrationsAgree(t *testing.T) {
	t.Parallel()
	if n, m := len(sqliteMigrations), len(postgresMigrations); n != m {
		t.Fatalf("%d migrations of SQLite, %d of PostgreSQL", n, m)
	}
	names := func(m Migration) (list []string) {
		for _, found := range declared.FindAllStringSubmatch(m.text, -1) {
			list = append(list, found[1]+found[2])
		}
		return list
	}
	for i, m := range sqliteMigrations {
		if diff := cmp.Diff(names(m), names(postgresMigrations[i])); diff != "" {
			t.Errorf("migration %d (-SQLite +PostgreSQL):\n%s", m.Number, diff)
		}
	}
}

// What is moved from one database to the other is every table.
func TestEveryTableIsMoved(t *testing.T) {
	t.Parallel()
	var want, got []string
	for _, found := range regexp.MustCompile(`(?m)^CREATE TABLE (\w+)`).FindAllStringSubmatch(sqliteMigrations[0].text, -1) {
		want = append(want, found[1])
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
