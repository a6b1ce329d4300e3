package store

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	sqlite3 "modernc.org/sqlite/lib"

	"countersign/domain/evidence"
)

// damaged says whether a file cannot be read because of what is in it.
func damaged(err error) bool {
	code := resultCode(err)
	return code == sqlite3.SQLITE_CORRUPT || code == sqlite3.SQLITE_NOTADB
}

// ErrChanged says that somebody began to write to a file while it was read in a
// way that only a file at rest can be: what was read of it means nothing.
var ErrChanged = errors.New("it was changed while it was read")

// fileState is the zero one when there is no file.
type fileState struct {
	size    int64
	changed time.Time
}

// stamp tells one state of a database's files from another.
type stamp [len(suffixes)]fileState

// suffixes are what its files have behind the database's name.
var suffixes = [...]string{"", "-wal", "-journal", "-shm"}

func stampOf(path string) (s stamp) {
	for i, suffix := range suffixes {
		if info, err := os.Stat(path + suffix); err == nil {
			s[i].size, s[i].changed = info.Size(), info.ModTime()
		}
	}
	return s
}

// connectAuditing opens the file so that looking at it changes nothing.
func (d *sqlite) connectAuditing() (session, error) {
	name, atRest, clean, err := readOnly(d.path)
	if err != nil {
		return nil, err
	}
	s, err := openSQLite(name)
	if err != nil {
		clean()
		return nil, err
	}
	s.clean, s.atRest = clean, atRest
	return s, nil
}

// changed says that what was read of a connection that audits means nothing.
func changed(s session) bool {
	lite, ok := s.(*sqliteSession)
	return ok && lite.atRest != nil && !lite.atRest()
}

// readOnly names a database file so that opening it changes nothing. What is read
// once needs no more cache than the processor's own. With a journal that nobody
// has open, a reader would have to write beside it, so a copy of both is read.
// Without one, the file is read without locks, as long as it is at rest: nil says
// that it need not be.
func readOnly(path string) (name string, atRest func() bool, clean func(), err error) {
	if path, err = filepath.Abs(path); err != nil {
		return "", nil, nil, err
	}
	if _, err := os.Stat(path); err != nil {
		return "", nil, nil, err
	}
	before := stampOf(path)
	of := func(suffix string) fileState { return before[slices.Index(suffixes[:], suffix)] }
	dsn := url.URL{Scheme: "file", Path: path}
	settings := url.Values{"_pragma": {"busy_timeout(10000)", "trusted_schema(0)", "query_only(1)", "cache_size(-4096)"}, "mode": {"ro"}}
	clean = func() {}
	switch {
	case of("-wal") != fileState{} && of("-shm").size > 0: // in use, or left by who used it
	case of("-wal").size > 0 || of("-journal").size > 0:
		dir, err := os.MkdirTemp("", "countersign-verify-")
		if err != nil {
			return "", nil, nil, err
		}
		clean = func() { _ = os.RemoveAll(dir) }
		for _, suffix := range []string{"", "-wal", "-journal"} {
			if err := copyFile(filepath.Join(dir, "copy.db"+suffix), path+suffix); err != nil && !errors.Is(err, fs.ErrNotExist) {
				clean()
				return "", nil, nil, err
			}
		}
		if stampOf(path) != before {
			clean()
			return "", nil, nil, ErrChanged
		}
		dsn.Path = filepath.Join(dir, "copy.db")
		settings.Del("mode")
	default:
		settings.Set("immutable", "1")
		atRest = func() bool { return stampOf(path) == before }
	}
	dsn.RawQuery = settings.Encode()
	return dsn.String(), atRest, clean, nil
}

func copyFile(to, from string) error {
	source, err := os.Open(from)
	if err != nil {
		return err
	}
	defer func() { _ = source.Close() }() // it was only read
	target, err := os.OpenFile(to, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(target, source)
	return errors.Join(err, target.Close())
}

// check finds damage in pages. Indexes are held to their tables by reading both,
// in a fraction of the time that the database takes to look for each row.
func (d *sqlite) check(s scanner) (problems []string, err error) {
	err = s.scan("PRAGMA quick_check(10)", func(v []evidence.Value) error {
		if problem := string(v[0].Bytes); problem != "ok" {
			problems = append(problems, problem)
		}
		return nil
	})
	return problems, err
}

// readAhead has the system read a file from its beginning to its end, until stop
// is called. Tables are read in an order that is not that of their pages: a disk
// gives those much more slowly than all of them in a row. What cannot be read
// shows where it is needed.
func readAhead(path string) (stop func()) {
	file, err := os.Open(path)
	if err != nil {
		return func() {}
	}
	var stopped atomic.Bool
	var reading sync.WaitGroup
	reading.Go(func() {
		defer func() { _ = file.Close() }() // it was only read
		for some := make([]byte, 1<<20); err == nil && !stopped.Load(); {
			_, err = file.Read(some)
		}
	})
	return func() {
		stopped.Store(true)
		reading.Wait()
	}
}

// scanners are one for each processor. They see what the connection sees if they
// see the same checkpoint: every change that matters makes a new one. Where others
// write so fast that they never do, the connection reads alone.
func (d *sqlite) scanners(ctx context.Context, r *reader) ([]scanner, func(), error) {
	const attempts = 100
	var list []scanner
	stop := readAhead(d.path)
	release := func() {
		stop()
		for _, s := range list {
			s.(*sqliteScanner).close()
		}
	}
	for range max(2, runtime.GOMAXPROCS(0)) {
		s, err := openSQLiteScanner(r.c.session.(*sqliteSession).name)
		if err != nil {
			release()
			return nil, nil, err
		}
		list = append(list, s)
	}
	for range attempts {
		same, err := beginSame(ctx, r, list)
		if err != nil {
			release()
			return nil, nil, err
		}
		if same {
			return list, release, nil
		}
	}
	return []scanner{connScanner{r.c}}, release, nil
}

// beginSame begins to read over all connections and says whether they see the
// same checkpoint.
func beginSame(ctx context.Context, r *reader, list []scanner) (same bool, err error) {
	if err := errors.Join(r.c.rollback(), r.c.begin(ctx, sqliteWords.beginRead)); err != nil {
		return false, err
	}
	nothing := func([]evidence.Value) error { return nil }
	for _, s := range list {
		sc := s.(*sqliteScanner)
		if sc.began {
			err = s.scan("ROLLBACK", nothing)
		}
		if err == nil {
			err = s.scan(sqliteWords.beginRead, nothing)
		}
		if err != nil {
			return false, err
		}
		sc.began = true
	}
	tables := 0
	if err := r.c.row(sqliteWords.tables, []any{"log_head"}, &tables); err != nil || tables == 0 {
		return true, err // not of this program's schema
	}
	want, err := r.head()
	same = true
	for _, s := range list {
		signed := ""
		if err == nil {
			err = s.scan("SELECT checkpoint FROM log_head", func(v []evidence.Value) error {
				signed = string(v[0].Bytes)
				return nil
			})
		}
		same = same && signed == want
	}
	return same, err
}

// indexes lists what is in the schema. A table WITHOUT ROWID is an index itself,
// and has to be asked for like one: else a smaller one would be read in its place.
func (d *sqlite) indexes(r *reader) (map[string]*indexed, error) {
	all := map[string]*indexed{}
	var list []*index
	err := r.c.each(`SELECT t.name, l.name, l."unique", COALESCE(s.sql, ''), t.wr = 1 AND l.origin = 'pk'
		FROM pragma_table_list t JOIN pragma_index_list(t.name) l LEFT JOIN sqlite_schema s ON s.type = 'index' AND s.name = l.name
		WHERE t.schema = 'main' ORDER BY l.name`, nil, func(rows row) error {
		var name, made string
		var itself bool
		i := new(index)
		if err := rows.Scan(&name, &i.name, &i.unique, &made, &itself); err != nil {
			return err
		}
		table := all[name]
		if table == nil {
			table = &indexed{whole: " NOT INDEXED"}
			all[name] = table
		}
		if itself {
			table.whole = " INDEXED BY " + i.name
			return nil
		}
		_, i.where, _ = strings.Cut(made, " WHERE ")
		table.indexes, list = append(table.indexes, i), append(list, i)
		return nil
	})
	for _, i := range list {
		if err == nil {
			err = i.describe(r)
		}
	}
	return all, err
}

// describe reads what an index holds.
func (i *index) describe(r *reader) error {
	return r.c.each(`SELECT COALESCE(name, CASE cid WHEN -1 THEN 'rowid' END, ''), "key" FROM pragma_index_xinfo($1) ORDER BY seqno`,
		[]any{i.name}, func(rows row) error {
			var column string
			var key bool
			err := rows.Scan(&column, &key)
			i.columns = append(i.columns, column)
			if key {
				i.keys++
			}
			return err
		})
}

func (d *sqlite) schema(r *reader, _ map[string]string) (map[string]string, error) {
	return r.described("SELECT type || ' ' || name, sql FROM sqlite_schema WHERE sql IS NOT NULL")
}

func (d *sqlite) freshSchema(_ context.Context, applied int) (map[string]string, error) {
	if d.steps == nil && applied == len(sqliteMigrations) {
		return freshSQLite()
	}
	return makeSQLite(d.migrations()[:applied])
}

var freshSQLite = sync.OnceValues(func() (map[string]string, error) { return makeSQLite(sqliteMigrations) })

func makeSQLite(migrations []Migration) (map[string]string, error) {
	s, err := openSQLite("file:schema?mode=memory")
	if err != nil {
		return nil, err
	}
	c := &conn{session: s, dialect: &sqlite{steps: migrations}}
	defer func() { _ = c.close() }() // nothing is kept
	if err := migrate(context.Background(), c, Options{}); err != nil {
		return nil, err
	}
	return c.dialect.schema(&reader{c: c}, nil)
}
