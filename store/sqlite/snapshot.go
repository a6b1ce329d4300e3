package sqlite

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

	"countersign/domain/evidence"
	"countersign/store/driver"
)

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
func connectAuditing(path string) (driver.Conn, error) {
	name, atRest, clean, err := readOnly(path)
	if err != nil {
		return nil, err
	}
	c, err := openName(name)
	if err != nil {
		clean()
		return nil, err
	}
	c.clean, c.atRest = clean, atRest
	return c, nil
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
	settings := url.Values{"_pragma": {busyTimeout(readerTimeout), "trusted_schema(0)", "query_only(1)", "cache_size(-4096)"}, "mode": {"ro"}}
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
			return "", nil, nil, driver.ErrChanged
		}
		dsn.Path = filepath.Join(dir, "copy.db")
		settings.Set("mode", "rw")
	default:
		settings.Set("immutable", "1")
		atRest = func() bool { return stampOf(path) == before }
	}
	dsn.RawQuery = settings.Encode() + "&" + safe
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

// CheckPages finds damage in pages. Indexes are held to their tables by reading both,
// in a fraction of the time that the database takes to look for each row.
func (d *Driver) CheckPages(s driver.Scanner) (problems []string, err error) {
	err = s.Scan("PRAGMA quick_check(10)", func(v []evidence.Value) error {
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

// Scanners are one for each processor. They see what the connection sees if they
// see the same checkpoint: every change that matters makes a new one. Where others
// write so fast that they never do, the connection reads alone.
func (d *Driver) Scanners(_ context.Context, c driver.Conn) ([]driver.Scanner, func(), error) {
	const attempts = 100
	var list []*scanner
	stop := readAhead(d.Path)
	release := func() {
		stop()
		for _, s := range list {
			_ = s.Close() // it only read
		}
	}
	for range max(2, runtime.GOMAXPROCS(0)) {
		s, err := openScanner(c.(*conn).name)
		if err != nil {
			release()
			return nil, nil, err
		}
		list = append(list, s)
	}
	for range attempts {
		isSame, err := beginSame(c, list)
		if err != nil {
			release()
			return nil, nil, err
		}
		if isSame {
			scanners := make([]driver.Scanner, len(list))
			for i, s := range list {
				scanners[i] = s
			}
			return scanners, release, nil
		}
	}
	return []driver.Scanner{driver.ScannerOf(c)}, release, nil
}

// beginSame begins to read over all connections and reports whether they see the same
// checkpoint.
func beginSame(c driver.Conn, list []*scanner) (isSame bool, err error) {
	conns := []driver.Conn{c}
	for _, s := range list {
		conns = append(conns, s.conn)
	}
	for _, c := range conns {
		if err := errors.Join(c.Script("ROLLBACK"), c.Script(statements.BeginRead)); err != nil {
			return false, err
		}
	}
	tables := 0
	err = c.Query(statements.Tables, []any{"log_head"}, func(r driver.Row) error { return r.Scan(&tables) })
	if err != nil || tables == 0 {
		return true, err // not of this program's schema
	}
	seen := map[string]bool{}
	for _, c := range conns {
		signed := ""
		err := c.Query("SELECT checkpoint FROM log_head", nil, func(r driver.Row) error { return r.Scan(&signed) })
		if err != nil {
			return false, err
		}
		seen[signed] = true
	}
	return len(seen) == 1, nil
}

// Indexes lists what is in the schema. A table WITHOUT ROWID is an index itself,
// and has to be asked for like one: else a smaller one would be read in its place.
func (d *Driver) Indexes(c driver.Conn) (map[string]*driver.Indexed, error) {
	all := map[string]*driver.Indexed{}
	var list []*driver.Index
	err := c.Query(`SELECT t.name, l.name, l."unique", COALESCE(s.sql, ''), t.wr = 1 AND l.origin = 'pk'
		FROM pragma_table_list t JOIN pragma_index_list(t.name) l LEFT JOIN sqlite_schema s ON s.type = 'index' AND s.name = l.name
		WHERE t.schema = 'main' ORDER BY l.name`, nil, func(rows driver.Row) error {
		var name, made string
		var isTable bool
		i := new(driver.Index)
		if err := rows.Scan(&name, &i.Name, &i.Unique, &made, &isTable); err != nil {
			return err
		}
		table := all[name]
		if table == nil {
			table = &driver.Indexed{Whole: " NOT INDEXED"}
			all[name] = table
		}
		if isTable {
			table.Whole = " INDEXED BY " + i.Name
			return nil
		}
		_, i.Where, _ = strings.Cut(made, " WHERE ")
		table.Indexes, list = append(table.Indexes, i), append(list, i)
		return nil
	})
	for _, i := range list {
		if err == nil {
			err = describe(c, i)
		}
	}
	return all, err
}

// describe reads what an index holds.
func describe(c driver.Conn, i *driver.Index) error {
	return c.Query(`SELECT COALESCE(name, CASE cid WHEN -1 THEN 'rowid' END, ''), "key" FROM pragma_index_xinfo($1) ORDER BY seqno`,
		[]any{i.Name}, func(rows driver.Row) error {
			var column string
			var isKey bool
			err := rows.Scan(&column, &isKey)
			i.Columns = append(i.Columns, column)
			if isKey {
				i.Keys++
			}
			return err
		})
}

func (d *Driver) Schema(c driver.Conn, _ map[string]string) (map[string]string, error) {
	return driver.Texts(c, "SELECT type || ' ' || name, sql FROM sqlite_schema WHERE sql IS NOT NULL")
}

// FreshSchema makes a database in memory.
func (d *Driver) FreshSchema(_ context.Context, applied int) (_ map[string]string, err error) {
	c, err := openName("file:schema?mode=memory")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, c.Close()) }()
	if err := c.Script(statements.Record); err != nil {
		return nil, err
	}
	for _, m := range d.Migrations()[:applied] {
		if err := c.Script(m.Text); err != nil {
			return nil, err
		}
	}
	return d.Schema(c, nil)
}
