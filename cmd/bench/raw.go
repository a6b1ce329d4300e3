package main

import (
	"context"
	"database/sql"
	"errors"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"time"

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
		"busy_timeout(10000)", "journal_mode(WAL)", "synchronous(FULL)",
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
