package domain_test

import (
	"crypto/rand"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	mathrand "math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	_ "modernc.org/sqlite"

	"countersign/domain/evidence"
)

// tamperer changes a copy of a database as somebody may who has the file, but
// not the signing key: triggers are no hindrance.
type tamperer struct {
	t      testing.TB
	random *mathrand.Rand
	clean  string   // the database as it should be
	older  []string // earlier copies of it
	tables []tamperTable
	spots  []tamperSpot // each column of each table, once
}

type tamperTable struct {
	name          string
	columns, keys []string
}

type tamperSpot struct {
	table  tamperTable
	column string
}

// outOfTouch are the tables that evidence does not cover.
func outOfTouch(table string) bool {
	return strings.HasPrefix(table, "volatile_") || strings.HasPrefix(table, "sqlite_") || table == "schema_migrations"
}

func newTamperer(t testing.TB, clean string, older []string, seed uint64) *tamperer {
	tm := &tamperer{t: t, random: mathrand.New(mathrand.NewPCG(seed, seed)), clean: clean, older: older}
	file := filepath.Join(t.TempDir(), "schema.db")
	copyFiles(t, file, clean, "")
	db := tm.open(file)
	defer tm.shut(db)
	for _, name := range tm.strings(db, "SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name") {
		if outOfTouch(name) {
			continue
		}
		table := tamperTable{name: name,
			columns: tm.strings(db, "SELECT name FROM pragma_table_info(?) ORDER BY cid", name),
			keys:    tm.strings(db, "SELECT name FROM pragma_table_info(?) WHERE pk > 0 ORDER BY pk", name)}
		if rows := tm.strings(db, "SELECT COUNT(*) FROM "+name); rows[0] == "0" {
			t.Fatalf("%s has no rows: the history has to fill it", name)
		}
		tm.tables = append(tm.tables, table)
		for _, column := range table.columns {
			tm.spots = append(tm.spots, tamperSpot{table, column})
		}
	}
	return tm
}

func (tm *tamperer) open(file string) *sql.DB {
	db, err := sql.Open("sqlite", "file:"+file+"?_pragma=synchronous(0)&_pragma=journal_mode(memory)")
	if err != nil {
		tm.t.Fatal(err)
	}
	db.SetMaxOpenConns(1)
	return db
}

func (tm *tamperer) shut(db *sql.DB) {
	if err := db.Close(); err != nil {
		tm.t.Fatal(err)
	}
}

func (tm *tamperer) strings(db *sql.DB, text string, args ...any) (list []string) {
	rows, err := db.Query(text, args...)
	if err != nil {
		tm.t.Fatalf("%s: %v", text, err)
	}
	for rows.Next() {
		var s string
		if err := rows.Scan(&s); err != nil {
			tm.t.Fatal(err)
		}
		list = append(list, s)
	}
	if err := errors.Join(rows.Err(), rows.Close()); err != nil {
		tm.t.Fatal(err)
	}
	return list
}

func pick[T any](tm *tamperer, list []T) T { return list[tm.random.IntN(len(list))] }

// state is everything in the database that evidence covers, to know whether a
// mutation changed anything.
func (tm *tamperer) state(db *sql.DB) string {
	var all strings.Builder
	for _, table := range tm.tables {
		for _, row := range tm.strings(db, "SELECT quote("+strings.Join(table.columns, ") || '|' || quote(")+") FROM "+table.name+" ORDER BY 1") {
			all.WriteString(table.name + row + "\n")
		}
	}
	for _, text := range tm.strings(db, "SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY name") {
		all.WriteString(text + "\n")
	}
	return all.String()
}

// mutate makes the nth mutation on a fresh copy and says which; first every
// column in turn, then at random.
func (tm *tamperer) mutate(n int, file string) string {
	copyFiles(tm.t, file, tm.clean, "")
	if n >= len(tm.spots) && tm.random.IntN(40) == 0 {
		copyFiles(tm.t, file, pick(tm, tm.older), "")
		return "rollback to an older copy"
	}
	db := tm.open(file)
	defer tm.shut(db)
	before := tm.state(db)
	for try := range 200 {
		spot := tm.spots[n%len(tm.spots)]
		if n >= len(tm.spots) || try >= 100 { // a few columns cannot be changed, as their table has but one row
			spot = pick(tm, tm.spots)
		}
		what, text, args := tm.change(db, spot, n < len(tm.spots))
		if tm.unguarded(db, text, args...) == nil && tm.state(db) != before {
			return what
		}
	}
	tm.t.Fatalf("mutation %d: nothing could be changed", n)
	return ""
}

// unguarded runs statements without triggers, which are back afterwards.
func (tm *tamperer) unguarded(db *sql.DB, text string, args ...any) error {
	tx, err := db.Begin()
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }() // after Commit it does nothing
	var guards []string
	rows, err := tx.Query("SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'")
	if err != nil {
		return err
	}
	var drops []string
	for rows.Next() {
		var name, made string
		if err := rows.Scan(&name, &made); err != nil {
			return err
		}
		guards, drops = append(guards, made), append(drops, "DROP TRIGGER "+name)
	}
	if err := rows.Err(); err != nil {
		return err
	}
	for _, drop := range drops {
		if _, err := tx.Exec(drop); err != nil {
			return err
		}
	}
	if _, err := tx.Exec(text, args...); err != nil {
		return err
	}
	for _, guard := range guards {
		if _, err := tx.Exec(guard); err != nil {
			return err
		}
	}
	return tx.Commit()
}

// change makes up one change of a column, or at random of rows, of the log as a
// whole, or of the structure.
func (tm *tamperer) change(db *sql.DB, spot tamperSpot, columnOnly bool) (what, text string, args []any) {
	table, column := spot.table, spot.column
	key := strings.Join(table.keys, " || '/' || ")
	row := pick(tm, tm.strings(db, "SELECT "+key+" FROM "+table.name))
	where := " WHERE " + key + " = '" + strings.ReplaceAll(row, "'", "''") + "'"
	kind := tm.random.IntN(12)
	if columnOnly && kind > 5 {
		kind -= 6
	}
	switch kind {
	case 6:
		return "delete a row of " + table.name, "DELETE FROM " + table.name + where, nil
	case 7:
		return "copy a row of " + table.name, "INSERT INTO " + table.name + " (" + strings.Join(table.columns, ", ") + ") SELECT " +
			strings.Replace(strings.Join(table.columns, ", "), table.keys[0], tm.otherKey(table), 1) + " FROM " + table.name + where, nil
	case 8:
		other := pick(tm, tm.strings(db, "SELECT "+key+" FROM "+table.name))
		return "swap " + table.name + "." + column, fmt.Sprintf("UPDATE %[1]s SET %[2]s = CASE %[3]s WHEN ?1 THEN (SELECT %[2]s FROM %[1]s WHERE %[3]s = ?2) ELSE (SELECT %[2]s FROM %[1]s WHERE %[3]s = ?1) END WHERE %[3]s IN (?1, ?2)",
			table.name, column, key), []any{row, other}
	case 9:
		cut := 1 + tm.random.IntN(20)
		return "cut the log's tail", fmt.Sprintf("DELETE FROM log WHERE seq > (SELECT MAX(seq) FROM log) - %d", cut), nil
	case 10:
		return "change the structure", pick(tm, []string{
			"CREATE TRIGGER sneak AFTER INSERT ON decisions BEGIN UPDATE confirms SET status = 'approved'; END",
			"DROP INDEX confirms_plan", "CREATE TABLE extra (a)", "CREATE VIEW seen AS SELECT * FROM confirms",
		}), nil
	case 11:
		return tm.forge(db)
	}
	return "change " + table.name + "." + column, "UPDATE " + table.name + " SET " + column + " = " + tm.value(kind, column, table) + where, nil
}

func (tm *tamperer) otherKey(table tamperTable) string {
	if table.name == "log" || table.name == "log_hashes" || table.name == "log_head" || table.name == "log_handovers" {
		return "(SELECT MAX(" + table.keys[0] + ") + 1 FROM " + table.name + ")"
	}
	return "'copied'"
}

// value is an expression for another value of the column.
func (tm *tamperer) value(kind int, column string, table tamperTable) string {
	switch kind {
	case 0:
		return "NULL"
	case 1:
		return "(SELECT " + column + " FROM " + table.name + " ORDER BY random() LIMIT 1)"
	case 2:
		return "CASE typeof(" + column + ") WHEN 'blob' THEN x'' WHEN 'integer' THEN 0 ELSE '' END"
	}
	at := 1 + tm.random.IntN(60)
	return fmt.Sprintf(`CASE typeof(%[1]s)
		WHEN 'integer' THEN %[1]s + %[2]d
		WHEN 'text' THEN substr(%[1]s, 1, %[3]d) || '%[4]c' || substr(%[1]s, %[3]d + 2)
		WHEN 'blob' THEN CAST(substr(%[1]s, 1, %[3]d) || x'%02[5]x' || substr(%[1]s, %[3]d + 2) AS BLOB)
		ELSE CASE (SELECT type FROM pragma_table_info('%[6]s') WHERE name = '%[1]s') WHEN 'INTEGER' THEN 7 WHEN 'BLOB' THEN x'07' ELSE 'x' END END`,
		column, tm.random.IntN(3)-1, at%24, 'a'+rune(tm.random.IntN(26)), tm.random.IntN(256), table.name)
}

// forge puts a checkpoint in place of the newest: an older one, or one that
// another key has signed over what the database has.
func (tm *tamperer) forge(db *sql.DB) (what, text string, args []any) {
	signed := tm.strings(db, "SELECT checkpoint FROM log_head")[0]
	c, err := evidence.PeekCheckpoint(signed)
	if err != nil {
		tm.t.Fatal(err)
	}
	if tm.random.IntN(2) == 0 {
		return "an older checkpoint", "UPDATE log_head SET size = (SELECT size FROM log_handovers LIMIT 1), checkpoint = (SELECT checkpoint FROM log_handovers LIMIT 1)", nil
	}
	key, err := evidence.NewSigningKey(rand.Reader, c.Origin)
	if err != nil {
		tm.t.Fatal(err)
	}
	if signed, err = c.Sign(key); err != nil {
		tm.t.Fatal(err)
	}
	return "a checkpoint signed by another key", "UPDATE log_head SET checkpoint = ?", []any{signed}
}

// TestBarR4_EveryTamperingIsDetected: whatever of the database is changed, evidence
// verify says so, and says nothing of a clean one. COUNTERSIGN_SOAK=1 makes
// more mutations.
func TestBarR4_EveryTamperingIsDetected(t *testing.T) {
	t.Parallel()
	const seed = 20260102
	mutations, clean := 60, 10
	if os.Getenv("COUNTERSIGN_SOAK") == "1" {
		mutations, clean = 10_000, 100
	}
	began := time.Now()
	w := newWorld(t)
	folder := t.TempDir()
	var older []string
	w.history(func() {
		copied := filepath.Join(folder, fmt.Sprintf("older-%d.db", len(older)))
		if err := w.db.Backup(w.ctx, copied); err != nil {
			t.Fatal(err)
		}
		older = append(older, copied)
	})
	w.post(w.key("bot", "executor"), toolCall)
	w.close()

	var missed []string
	t.Run("mutations", func(t *testing.T) {
		const workers = 2
		var mu sync.Mutex
		for i := range workers {
			t.Run(fmt.Sprint(i), func(t *testing.T) {
				t.Parallel()
				tm := newTamperer(t, w.file, older, seed+uint64(i))
				file := filepath.Join(t.TempDir(), "tampered.db")
				copyFiles(t, file, w.file, ".key", ".head")
				for n := i; n < mutations; n += workers {
					if what := tm.mutate(n, file); !verify(t, file, "").IsTampered() {
						mu.Lock()
						missed = append(missed, what)
						mu.Unlock()
					}
				}
				for range clean / workers {
					copyFiles(t, file, w.file, "")
					wantVerified(t, "a clean database", verify(t, file, ""))
				}
			})
		}
	})
	for _, what := range slices.Compact(slices.Sorted(slices.Values(missed))) {
		t.Errorf("not detected: %s", what)
	}
	figures, err := json.Marshal(map[string]any{"bar": "R4", "n": mutations, "violations": len(missed), "seed": seed,
		"clean": clean, "wall_s": time.Since(began).Seconds()})
	if err != nil {
		t.Fatal(err)
	}
	t.Log(string(figures))
}
