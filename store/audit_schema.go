package store

import (
	"context"
	"database/sql"
	"sync"

	"countersign/domain/evidence"
)

// auditSchema compares what the database is made of with what this program
// makes: a trigger that somebody added could change rows behind its back. It
// also has the database check its own pages and indexes.
func (r *reader) auditSchema(_ context.Context, a *evidence.Audit) error {
	want, err := freshSchema()
	if err != nil {
		return err
	}
	got, err := r.schema()
	if err != nil {
		return err
	}
	for name, text := range got {
		if made, known := want[name]; !known || made != text {
			a.Schema("%s: it is not this program's", name)
		}
	}
	for name := range want {
		if _, there := got[name]; !there {
			a.Schema("%s: it is missing", name)
		}
	}
	problems, err := r.strings("PRAGMA integrity_check(10)")
	for _, problem := range problems {
		if problem != "ok" {
			a.Schema("database: the file is damaged: %s", problem)
		}
	}
	return err
}

// freshSchema is that of a new database.
var freshSchema = sync.OnceValues(func() (map[string]string, error) {
	pool, err := sql.Open("sqlite", "file:schema?mode=memory")
	if err != nil {
		return nil, err
	}
	defer func() { _ = pool.Close() }() // nothing is kept
	pool.SetMaxOpenConns(1)
	c, err := openConn(context.Background(), pool)
	if err != nil {
		return nil, err
	}
	defer func() { _ = c.close() }()
	if err := migrate(c, nil); err != nil {
		return nil, err
	}
	return (&reader{c: c}).schema()
})

// schema is the text of everything that the database is made of, by name.
func (r *reader) schema() (map[string]string, error) {
	made := map[string]string{}
	err := r.c.each("SELECT type || ' ' || name, sql FROM sqlite_schema WHERE sql IS NOT NULL", nil, func(rows *sql.Rows) error {
		var name, text string
		err := rows.Scan(&name, &text)
		made[name] = text
		return err
	})
	return made, err
}
