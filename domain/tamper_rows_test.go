package domain_test

import (
	"bytes"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
)

// dbRow is a row as it is stored: nil, int64, string or []byte for each column.
type dbRow []any

func (r dbRow) equal(other dbRow) bool {
	return (r == nil) == (other == nil) && slices.EqualFunc(r, other, func(a, b any) bool {
		x, isBytes := a.([]byte)
		y, areBytes := b.([]byte)
		if isBytes || areBytes {
			return isBytes && areBytes && bytes.Equal(x, y)
		}
		return a == b
	})
}

// rowPlace is where a row stands: its key, or where there is none.
type rowPlace struct{ table, key string }

// edit replaces a row; nil is none.
type edit struct{ was, is dbRow }

// edits are what somebody changes at once.
type edits map[rowPlace]edit

func (e edits) set(place rowPlace, was, is dbRow) {
	if earlier, known := e[place]; known {
		was = earlier.was
	}
	e[place] = edit{was, is}
}

// intruder changes a database as somebody may who can write it but has no signing
// key, also while the program runs: triggers and references are no hindrance.
type intruder struct {
	t      testing.TB
	tables map[string]tamperTable
	conn   intruderConn
}

// intruderConn is a connection to one of the databases.
type intruderConn interface {
	// query returns all rows.
	query(text string) ([]dbRow, error)
	// change runs statements as one transaction, without triggers.
	change(statements []string, args [][]any) error
	mark(n int) string // of the nth parameter
	close() error
}

// read returns all rows of tables by their places.
func (i *intruder) read(tables ...string) map[rowPlace]dbRow {
	i.t.Helper()
	state := map[rowPlace]dbRow{}
	for _, name := range tables {
		table := i.tables[name]
		rows, err := i.conn.query("SELECT " + strings.Join(table.columns, ", ") + " FROM " + name)
		if err != nil {
			i.t.Fatalf("%s: %v", name, err)
		}
		for _, row := range rows {
			state[table.place(row)] = row
		}
	}
	return state
}

func (t *tamperTable) place(row dbRow) rowPlace {
	key := ""
	for _, column := range t.keys {
		key += fmt.Sprintf("%v/", row[slices.Index(t.columns, column)])
	}
	return rowPlace{t.name, key}
}

// column is a value of a row.
func (t *tamperTable) column(row dbRow, name string) any { return row[slices.Index(t.columns, name)] }

// with is a copy of a row with other values in columns.
func (t *tamperTable) with(row dbRow, values map[string]any) dbRow {
	row = slices.Clone(row)
	for name, value := range values {
		row[slices.Index(t.columns, name)] = value
	}
	return row
}

// apply makes the edits. It returns an error if the database takes no such rows.
func (i *intruder) apply(e edits) error {
	var statements []string
	var args [][]any
	for place, edit := range e { // first all that go: others may need what is unique of them
		if edit.was != nil {
			table := i.tables[place.table]
			conditions, values := i.where(table, edit.was)
			statements, args = append(statements, "DELETE FROM "+place.table+" WHERE "+conditions), append(args, values)
		}
	}
	for place, edit := range e {
		if edit.is != nil {
			table := i.tables[place.table]
			marks := make([]string, len(table.columns))
			for n := range marks {
				marks[n] = i.conn.mark(n + 1)
			}
			statements = append(statements, fmt.Sprintf("INSERT INTO %s (%s) VALUES (%s)", place.table, strings.Join(table.columns, ", "), strings.Join(marks, ", ")))
			args = append(args, edit.is)
		}
	}
	return i.conn.change(statements, args)
}

func (i *intruder) where(table tamperTable, row dbRow) (string, []any) {
	var conditions []string
	var values []any
	for n, column := range table.keys {
		conditions, values = append(conditions, column+" = "+i.conn.mark(n+1)), append(values, table.column(row, column))
	}
	return strings.Join(conditions, " AND "), values
}

// touched are the tables of edits.
func (e edits) touched() (list []string) {
	for place := range e {
		if !slices.Contains(list, place.table) {
			list = append(list, place.table)
		}
	}
	return list
}

// undo puts back what nobody has written over since.
func (i *intruder) undo(e edits) {
	i.t.Helper()
	now, back := i.read(e.touched()...), edits{}
	for place, edit := range e {
		if now[place].equal(edit.is) {
			back[place] = struct{ was, is dbRow }{edit.is, edit.was}
		}
	}
	if i.apply(back) == nil {
		return
	}
	for place, edit := range back { // something that is new keeps some of it away
		_ = i.apply(edits{place: edit})
	}
}

// left reports whether anything of the edits is still there.
func (i *intruder) left(e edits) bool {
	now := i.read(e.touched()...)
	for place, edit := range e {
		if now[place].equal(edit.is) {
			return true
		}
	}
	return false
}

// while changes the database by statements, runs fn, and puts back what they
// changed and nobody has written over.
func (i *intruder) while(fn func(), statements ...string) {
	i.t.Helper()
	if !i.tryWhile(fn, statements...) {
		i.t.Fatalf("nothing was changed by %q", statements)
	}
}

// tryWhile is while, but for changes that the database may refuse, or that may be none.
func (i *intruder) tryWhile(fn func(), statements ...string) bool {
	i.t.Helper()
	tables := make([]string, 0, len(i.tables))
	for name := range i.tables {
		tables = append(tables, name)
	}
	before := i.read(tables...)
	if err := i.conn.change(statements, make([][]any, len(statements))); err != nil {
		i.t.Logf("refused: %v", err)
		return false
	}
	after := i.read(tables...)
	made := edits{}
	for place, row := range before {
		if !after[place].equal(row) {
			made.set(place, row, after[place])
		}
	}
	for place, row := range after {
		if before[place] == nil {
			made.set(place, nil, row)
		}
	}
	if len(made) == 0 {
		return false
	}
	fn()
	i.undo(made)
	return true
}

// change runs statements.
func (i *intruder) change(statements ...string) {
	i.t.Helper()
	if err := i.conn.change(statements, make([][]any, len(statements))); err != nil {
		i.t.Fatalf("%q: %v", statements, err)
	}
}

// sqliteIntruder is one on a file.
type sqliteIntruder struct{ db *sql.DB }

func openIntruder(t testing.TB, file string) *intruder {
	t.Helper()
	db, err := sql.Open("sqlite", "file:"+file+"?_pragma=busy_timeout(10000)&_pragma=synchronous(0)")
	if err != nil {
		t.Fatal(err)
	}
	db.SetMaxOpenConns(1)
	i := &intruder{t: t, tables: map[string]tamperTable{}, conn: &sqliteIntruder{db}}
	for _, name := range i.names("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' AND name <> 'schema_migrations'") {
		i.tables[name] = tamperTable{name: name,
			columns: i.names("SELECT name FROM pragma_table_info('" + name + "') ORDER BY cid"),
			keys:    i.names("SELECT name FROM pragma_table_info('" + name + "') WHERE pk > 0 ORDER BY pk")}
	}
	return i
}

// names are the values of the only column.
func (i *intruder) names(query string) (list []string) {
	i.t.Helper()
	rows, err := i.conn.query(query)
	if err != nil {
		i.t.Fatalf("%s: %v", query, err)
	}
	for _, row := range rows {
		list = append(list, row[0].(string))
	}
	return list
}

func (c *sqliteIntruder) query(text string) (list []dbRow, err error) {
	rows, err := c.db.Query(text)
	if err != nil {
		return nil, err
	}
	columns, err := rows.Columns()
	for err == nil && rows.Next() {
		row, dest := make(dbRow, len(columns)), make([]any, len(columns))
		for i := range row {
			dest[i] = &row[i]
		}
		err = rows.Scan(dest...)
		list = append(list, row)
	}
	return list, errors.Join(err, rows.Err(), rows.Close())
}

func (c *sqliteIntruder) change(statements []string, args [][]any) error {
	statements, args = slices.Clone(statements), slices.Clone(args) // which are the caller's
	tx, err := c.db.Begin()
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }() // after Commit it does nothing
	rows, err := tx.Query("SELECT name, sql FROM sqlite_schema WHERE type = 'trigger' AND name <> 'sneak'")
	if err != nil {
		return err
	}
	var all []string
	for rows.Next() {
		var name, made string
		if err := rows.Scan(&name, &made); err != nil {
			return err
		}
		statements = slices.Insert(statements, 0, "DROP TRIGGER "+name)
		args = slices.Insert(args, 0, nil)
		all = append(all, made)
	}
	if err := errors.Join(rows.Err(), rows.Close()); err != nil {
		return err
	}
	for _, made := range all {
		statements, args = append(statements, made), append(args, nil)
	}
	for n, text := range statements {
		if _, err := tx.Exec(text, args[n]...); err != nil {
			return fmt.Errorf("%s: %w", text, err)
		}
	}
	return tx.Commit()
}

func (c *sqliteIntruder) mark(int) string { return "?" }

func (c *sqliteIntruder) close() error { return c.db.Close() }

// postgresIntruder is one on a PostgreSQL database.
type postgresIntruder struct {
	t  testing.TB
	db *pgx.Conn
}

func openPostgresIntruder(t testing.TB, url string) *intruder {
	t.Helper()
	db, err := pgx.Connect(t.Context(), url)
	if err == nil {
		_, err = db.Exec(t.Context(), "SET session_replication_role = replica; SET synchronous_commit = off")
	}
	if err != nil {
		t.Fatal(err)
	}
	i := &intruder{t: t, tables: map[string]tamperTable{}, conn: &postgresIntruder{t, db}}
	for _, name := range i.names("SELECT table_name::text FROM information_schema.tables WHERE table_schema = current_schema() AND table_type = 'BASE TABLE' AND table_name <> 'schema_migrations'") {
		i.tables[name] = tamperTable{name: name,
			columns: i.names("SELECT column_name::text FROM information_schema.columns WHERE table_schema = current_schema() AND is_generated = 'NEVER' AND table_name = '" + name + "' ORDER BY ordinal_position"),
			keys: i.names("SELECT a.attname::text FROM pg_index x JOIN pg_attribute a ON a.attrelid = x.indrelid AND a.attnum = ANY(x.indkey) WHERE x.indisprimary AND x.indrelid = '" +
				name + "'::regclass ORDER BY array_position(x.indkey::int2[], a.attnum)")}
	}
	return i
}

func (c *postgresIntruder) query(text string) (list []dbRow, err error) {
	rows, err := c.db.Query(c.t.Context(), text)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		row, err := rows.Values()
		if err != nil {
			return nil, err
		}
		for i, v := range row {
			switch n := v.(type) {
			case int16:
				row[i] = int64(n)
			case int32:
				row[i] = int64(n)
			}
		}
		list = append(list, row)
	}
	return list, rows.Err()
}

func (c *postgresIntruder) change(statements []string, args [][]any) error {
	tx, err := c.db.Begin(c.t.Context())
	if err != nil {
		return err
	}
	for n, text := range statements {
		if _, err := tx.Exec(c.t.Context(), text, args[n]...); err != nil {
			return errors.Join(fmt.Errorf("%s: %w", text, err), tx.Rollback(c.t.Context()))
		}
	}
	return tx.Commit(c.t.Context())
}

func (c *postgresIntruder) mark(n int) string { return fmt.Sprintf("$%d", n) }

func (c *postgresIntruder) close() error { return c.db.Close(c.t.Context()) }
