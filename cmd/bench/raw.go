package main

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"countersign/cmd/bench/load"

	_ "modernc.org/sqlite"
)

// disk measures what writing durably costs without the product.
func disk(ctx context.Context, r *round) error {
	for _, step := range []func(context.Context, *round) error{fdatasync, oneRow, sameRows} {
		if err := step(ctx, r); err != nil {
			return err
		}
	}
	return nil
}

// page is what fdatasync is asked to write, as large as a page of the database.
const page = 8192

func fdatasync(_ context.Context, r *round) error {
	f, err := os.Create(filepath.Join(r.work, "synced"))
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	defer f.Close()
	block := make([]byte, page)
	p50, err := repeated(r, func() error {
		if _, err := f.Write(block); err != nil {
			return err
		}
		return syscall.Fdatasync(int(f.Fd()))
	})
	r.duration("fdatasync p50", p50)
	return err
}

// repeated does something for a window and gives the median of how long it took.
func repeated(r *round, do func() error) (time.Duration, error) {
	var samples []time.Duration
	for end := time.Now().Add(r.size.window); ; {
		began := time.Now()
		if began.After(end) {
			slices.Sort(samples)
			return samples[len(samples)/2], nil
		}
		if err := do(); err != nil {
			return 0, err
		}
		samples = append(samples, time.Since(began))
	}
}

// open opens a database as the product's writer does (store.writeSettings).
func open(ctx context.Context, path string) (*sql.Conn, func() error, error) {
	settings := url.Values{"_txlock": {"immediate"}, "_pragma": {
		"busy_timeout(10000)", "page_size(8192)", "journal_mode(WAL)", "synchronous(FULL)",
		"foreign_keys(1)", "trusted_schema(0)", "temp_store(MEMORY)", "cache_size(-16384)", "secure_delete(1)",
	}}
	name := url.URL{Scheme: "file", Path: path, RawQuery: settings.Encode()}
	db, err := sql.Open("sqlite", name.String())
	if err != nil {
		return nil, nil, err
	}
	c, err := db.Conn(ctx)
	if err != nil {
		return nil, nil, errors.Join(err, db.Close())
	}
	return c, func() error { return errors.Join(c.Close(), db.Close()) }, nil
}

// oneRow commits one row at a time, with the body of a confirm.
func oneRow(ctx context.Context, r *round) error {
	c, shut, err := open(ctx, filepath.Join(r.work, "one.db"))
	if err != nil {
		return err
	}
	defer os.Remove(filepath.Join(r.work, "one.db"))
	if _, err := c.ExecContext(ctx, "CREATE TABLE bodies (id INTEGER PRIMARY KEY, body BLOB NOT NULL) STRICT"); err != nil {
		return errors.Join(err, shut())
	}
	insert, err := c.PrepareContext(ctx, "INSERT INTO bodies (body) VALUES (?)")
	if err != nil {
		return errors.Join(err, shut())
	}
	p50, err := repeated(r, func() error {
		_, err := insert.ExecContext(ctx, confirmBody)
		return err
	})
	r.duration("raw commit of one row p50", p50)
	return errors.Join(err, shut())
}

// perCommit is how many confirms' rows sameRows commits at once.
const perCommit = 64

// sameRows writes the rows that the product wrote for a number of confirms, into
// the same schema, without the product.
func sameRows(ctx context.Context, r *round) error {
	source, err := r.sample(ctx)
	if err != nil {
		return err
	}
	dir, err := r.fresh()
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	c, shut, err := open(ctx, filepath.Join(dir, database))
	if err != nil {
		return err
	}
	tables, err := copiedRows(ctx, c, source)
	if err == nil {
		var took time.Duration
		took, err = insertAll(ctx, c, tables, r.size.sample)
		r.set("rows raw, 64 a commit", "1/s", float64(r.size.sample)/took.Seconds())
	}
	return errors.Join(err, shut())
}

// sample gives a database in which the product created confirms, made once.
func (b *bench) sample(ctx context.Context) (string, error) {
	dir := filepath.Join(b.work, "sample")
	if err := os.Mkdir(dir, 0o755); errors.Is(err, os.ErrExist) {
		return filepath.Join(dir, database), nil
	} else if err != nil {
		return "", err
	}
	if err := copyFiles(b.template, dir); err != nil {
		return "", err
	}
	err := b.on(ctx, dir, func(p *product) error {
		j := p.posting()
		j.Kind, j.Clients, j.Total = load.Repeat, 64, b.size.sample
		_, err := b.load(ctx, j)
		return err
	})
	return filepath.Join(dir, database), err
}

// table is rows to be written.
type table struct {
	insert *sql.Stmt
	rows   [][]any
}

// copiedRows reads the rows that the database at source has and c's has not.
func copiedRows(ctx context.Context, c *sql.Conn, source string) (list []table, err error) {
	if _, err := c.ExecContext(ctx, "ATTACH ? AS sample", source); err != nil {
		return nil, err
	}
	names, err := texts(ctx, c, "SELECT name FROM sample.sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY rowid")
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		columns, err := texts(ctx, c, "SELECT name FROM pragma_table_info(?)", name) // without generated ones
		if err != nil {
			return nil, err
		}
		all := strings.Join(columns, ", ")
		t := table{}
		if t.rows, err = rows(ctx, c, len(columns), fmt.Sprintf("SELECT %[1]s FROM sample.%[2]s EXCEPT SELECT %[1]s FROM main.%[2]s", all, name)); err != nil {
			return nil, err
		}
		if t.insert, err = c.PrepareContext(ctx, fmt.Sprintf("INSERT OR REPLACE INTO main.%s (%s) VALUES (?%s)", name, all, strings.Repeat(", ?", len(columns)-1))); err != nil {
			return nil, err
		}
		list = append(list, t)
	}
	return list, nil
}

func texts(ctx context.Context, c *sql.Conn, query string, args ...any) (list []string, err error) {
	found, err := rows(ctx, c, 1, query, args...)
	for _, row := range found {
		list = append(list, row[0].(string))
	}
	return list, err
}

func rows(ctx context.Context, c *sql.Conn, columns int, query string, args ...any) (list [][]any, err error) {
	found, err := c.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	defer found.Close()
	for found.Next() {
		row, into := make([]any, columns), make([]any, columns)
		for i := range row {
			into[i] = &row[i]
		}
		if err := found.Scan(into...); err != nil {
			return nil, err
		}
		list = append(list, row)
	}
	return list, found.Err()
}

// insertAll writes the rows of n confirms, perCommit of them in each commit.
func insertAll(ctx context.Context, c *sql.Conn, tables []table, n int) (time.Duration, error) {
	began := time.Now()
	for from := 0; from < n; from += perCommit {
		to := min(from+perCommit, n)
		if _, err := c.ExecContext(ctx, "BEGIN IMMEDIATE"); err != nil {
			return 0, err
		}
		for i := from; i < to; i++ {
			for _, t := range tables {
				for _, row := range t.rows[len(t.rows)*i/n : len(t.rows)*(i+1)/n] {
					if _, err := t.insert.ExecContext(ctx, row...); err != nil {
						return 0, err
					}
				}
			}
		}
		if _, err := c.ExecContext(ctx, "COMMIT"); err != nil {
			return 0, err
		}
	}
	return time.Since(began), nil
}
