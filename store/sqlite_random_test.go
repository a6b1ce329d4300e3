package store

import (
	"database/sql"
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	_ "modernc.org/sqlite"
)

// What statements do here they do through database/sql and the driver too: the
// same rows, the same numbers of rows, the same refusals.
func TestSQLiteStatement_AsTheDriver(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	d := &sqlite{path: filepath.Join(dir, "ours.db"), hasty: true}
	if err := d.create(); err != nil {
		t.Fatal(err)
	}
	ours, err := d.open(d.path, d.writeSettings())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = ours.close() }()
	name, err := dsn(filepath.Join(dir, "theirs.db"), d.writeSettings())
	if err != nil {
		t.Fatal(err)
	}
	theirs, err := sql.Open("sqlite", name)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = theirs.Close() }()
	theirs.SetMaxOpenConns(1)

	random := rand.New(rand.NewPCG(1, 2))
	value := func() any { return randomValue(random) }
	small := func() any { return random.Int64N(40) }
	alters := 0
	run := func(i int, text string, args ...any) {
		t.Helper()
		var n, m int64
		var mine, other [][]any
		var failed, refused error
		if strings.HasPrefix(text, "SELECT") || strings.Contains(text, "RETURNING") {
			failed = ours.query(text, args, func(r row) error {
				names, err := r.Columns()
				if err != nil {
					return err
				}
				values := make([]any, len(names))
				if err := r.Scan(pointers(values)...); err != nil {
					return err
				}
				mine = append(mine, values)
				return nil
			})
			other, refused = driverRows(theirs, text, args)
		} else {
			n, failed = ours.exec(text, args)
			var result sql.Result
			if result, refused = theirs.Exec(text, args...); refused == nil {
				m, _ = result.RowsAffected()
			}
		}
		if (failed == nil) != (refused == nil) {
			t.Fatalf("%d: %s %.60q: %v, and the driver: %v", i, text, args, failed, refused)
		}
		if failed != nil && !strings.Contains(refused.Error(), resultText(failed)) {
			t.Fatalf("%d: %s %.60q: %v, and the driver: %v", i, text, args, failed, refused)
		}
		if diff := cmp.Diff(other, mine, cmpopts.EquateEmpty()); n != m || diff != "" {
			t.Fatalf("%d: %s %.60q: %d rows, and the driver %d (-driver +here):\n%.800s", i, text, args, n, m, diff)
		}
	}
	run(-1, "CREATE TABLE t (n INTEGER PRIMARY KEY, v ANY, w TEXT UNIQUE, CHECK (typeof(v) <> 'text' OR length(v) < 70000)) STRICT")
	for i := range 1000 {
		switch random.IntN(14) {
		case 0, 1, 2, 3:
			run(i, "INSERT INTO t (n, v) VALUES ($1, $2)", small(), value())
		case 4:
			run(i, "INSERT INTO t (v, n, w) VALUES ($3, $1, $2) ON CONFLICT (n) DO UPDATE SET v = excluded.v", small(), value(), value())
		case 5:
			run(i, "UPDATE t SET v = $1 WHERE v IS $2 OR n > $3", value(), value(), small())
		case 6:
			run(i, "DELETE FROM t WHERE n BETWEEN $1 AND $1 + 3 OR n > 40", small())
		case 7:
			run(i, "SELECT n, v, w FROM t WHERE n >= $1 ORDER BY n", small())
		case 8:
			run(i, "SELECT $1, $2, typeof($1), length($2), $1 IS $2, $3 || 'x'", value(), value(), value())
		case 9:
			run(i, "INSERT INTO t (v) VALUES ($1) RETURNING n, v", value())
		case 10:
			run(i, "SAVEPOINT s")
			run(i, "UPDATE t SET w = $1 WHERE n = $2", value(), small())
			run(i, "ROLLBACK TO s")
			run(i, "RELEASE s")
		case 11:
			run(i, "SELECT v FROM t WHERE w = $1", value())
		case 12:
			if random.IntN(20) == 0 { // what is prepared is of another schema then
				alters++
				run(i, fmt.Sprintf("ALTER TABLE t ADD COLUMN x%d INTEGER DEFAULT %d", alters, alters))
			}
		case 13:
			run(i, "COMMIT") // of nothing
		}
	}
	run(-2, "SELECT n, v, w FROM t ORDER BY n")
}

// randomValue is one that is likely to be treated wrongly.
func randomValue(r *rand.Rand) any {
	text := []string{"", "\x00", "a\x00b", "\xff\xfe", "é\U0010FFFF", "short", "7", "NULL"}[r.IntN(8)]
	if r.IntN(100) == 0 {
		text = strings.Repeat("x", r.IntN(2*maxRoom))
	}
	switch r.IntN(8) {
	case 0:
		return nil
	case 1:
		return []int64{0, -1, math.MinInt64, math.MaxInt64, 1 << 53, int64(r.Uint64())}[r.IntN(6)]
	case 2:
		return r.IntN(3)
	case 3, 4:
		return []byte(text)
	case 5:
		return []byte(nil)
	}
	return text
}

// resultText is what the database says of an error, without this program's words.
func resultText(err error) string {
	_, text, found := strings.Cut(err.Error(), ": ")
	if !found {
		text = err.Error()
	}
	return text[:strings.LastIndex(text, " (")]
}

func driverRows(db *sql.DB, text string, args []any) (list [][]any, err error) {
	rows, err := db.Query(text, args...)
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }()
	columns, err := rows.Columns()
	if err != nil {
		return nil, err
	}
	for rows.Next() {
		values := make([]any, len(columns))
		if err := rows.Scan(pointers(values)...); err != nil {
			return nil, err
		}
		list = append(list, values)
	}
	return list, rows.Err()
}
