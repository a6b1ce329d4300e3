package store

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"sync"

	sqlite3 "modernc.org/sqlite/lib"
)

// damaged says whether a file cannot be read because of what is in it.
func damaged(err error) bool {
	code := resultCode(err)
	return code == sqlite3.SQLITE_CORRUPT || code == sqlite3.SQLITE_NOTADB
}

// connectAuditing opens the file so that looking at it changes nothing.
func (d *sqlite) connectAuditing(ctx context.Context) (session, error) {
	name, clean, err := readOnly(d.path)
	if err != nil {
		return nil, err
	}
	s, err := openSQLite(ctx, name)
	if err != nil {
		clean()
		return nil, err
	}
	s.clean = clean
	return s, nil
}

// readOnly names a database file so that opening it changes nothing. With a
// journal that nobody has open, a reader would have to write beside it, so a
// copy of both is read.
func readOnly(path string) (name string, clean func(), err error) {
	if path, err = filepath.Abs(path); err != nil {
		return "", nil, err
	}
	if _, err := os.Stat(path); err != nil {
		return "", nil, err
	}
	there := func(suffix string) bool {
		info, err := os.Stat(path + suffix)
		return err == nil && info.Size() > 0
	}
	dsn := url.URL{Scheme: "file", Path: path}
	settings := url.Values{"_pragma": {"busy_timeout(10000)", "trusted_schema(0)", "query_only(1)", "cache_size(-65536)"}, "mode": {"ro"}}
	clean = func() {}
	switch {
	case !there("-wal") && !there("-journal"):
		settings.Set("immutable", "1")
	case !there("-shm"):
		dir, err := os.MkdirTemp("", "countersign-verify-")
		if err != nil {
			return "", nil, err
		}
		clean = func() { _ = os.RemoveAll(dir) }
		for _, suffix := range []string{"", "-wal", "-journal"} {
			if err := copyFile(filepath.Join(dir, "copy.db"+suffix), path+suffix); err != nil && !errors.Is(err, fs.ErrNotExist) {
				clean()
				return "", nil, err
			}
		}
		dsn.Path = filepath.Join(dir, "copy.db")
		settings.Del("mode")
	}
	dsn.RawQuery = settings.Encode()
	return dsn.String(), clean, nil
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

func (d *sqlite) check(r *reader) ([]string, error) {
	list, err := r.strings("PRAGMA integrity_check(10)")
	return slices.DeleteFunc(list, func(problem string) bool { return problem == "ok" }), err
}

func (d *sqlite) schema(r *reader, _ map[string]string) (map[string]string, error) {
	return r.described("SELECT type || ' ' || name, sql FROM sqlite_schema WHERE sql IS NOT NULL")
}

func (d *sqlite) freshSchema(context.Context) (map[string]string, error) { return freshSQLite() }

var freshSQLite = sync.OnceValues(func() (map[string]string, error) {
	s, err := openSQLite(context.Background(), "file:schema?mode=memory")
	if err != nil {
		return nil, err
	}
	c := &conn{session: s, dialect: &sqlite{}}
	defer func() { _ = c.close() }() // nothing is kept
	if err := migrate(context.Background(), c, nil); err != nil {
		return nil, err
	}
	return c.dialect.schema(&reader{c: c}, nil)
})
