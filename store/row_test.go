package store

import (
	"context"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"countersign/store/driver"
)

// A table or column that the schema has and the code does not name would
// escape the log.
func TestEveryColumnIsDigested(t *testing.T) {
	t.Parallel()
	db := openTest(t, tempFile(t), Options{})
	declared := map[string][]string{}
	for _, s := range logged {
		declared[s.name] = s.columns
	}
	stored := map[string][]string{}
	err := db.view(context.Background(), func(r *reader) error {
		return r.Conn.Query(`SELECT t.name, c.name FROM sqlite_schema t JOIN pragma_table_info(t.name) c
			WHERE t.type = 'table' AND t.name NOT LIKE 'sqlite\_%' ESCAPE '\' AND t.name NOT LIKE 'volatile\_%' ESCAPE '\'
			AND t.name NOT IN ('log', 'log_hashes', 'log_head', 'log_handovers', 'schema_migrations') ORDER BY t.name, c.cid`, nil, func(rows driver.Row) error {
			var table, column string
			err := rows.Scan(&table, &column)
			stored[table] = append(stored[table], column)
			return err
		})
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, columns := range []map[string][]string{declared, stored} { // migrations add columns behind the others
		for table, names := range columns {
			columns[table] = slices.Sorted(slices.Values(names))
		}
	}
	if diff := cmp.Diff(declared, stored); diff != "" {
		t.Errorf("columns (-declared +stored):\n%s", diff)
	}
}
