package main

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"countersign/cmd/bench/load"
)

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
		all, order := strings.Join(columns, ", "), "1"
		if slices.Contains(columns, "requested_seq") { // what refers to a confirm comes in its order
			order = "requested_seq"
		}
		t := table{}
		if t.rows, err = rows(ctx, c, len(columns), fmt.Sprintf("SELECT %[1]s FROM sample.%[2]s EXCEPT SELECT %[1]s FROM main.%[2]s ORDER BY %[3]s", all, name, order)); err != nil {
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
