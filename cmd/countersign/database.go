package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"text/tabwriter"
	"time"

	"countersign/domain"
	"countersign/store"
)

// database opens the database while fn runs. It is created or migrated if
// needed.
func (c *call) database(ctx context.Context, fn func(db *store.DB, svc *domain.Service) error) (err error) {
	options := c.storeOptions()
	options.Now = time.Now
	options.Logger = newLogger(c.stderr, slog.LevelWarn) // what a server would have logged at its start
	db, err := store.Open(ctx, c.db, options)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	svc := domain.NewService(db, domain.Config{CheckAddress: c.checkAddress})
	if err := svc.Prepare(ctx); err != nil {
		return err
	}
	return fn(db, svc)
}

// service is database for commands that only need the use cases.
func (c *call) service(ctx context.Context, fn func(svc *domain.Service) error) error {
	return c.database(ctx, func(_ *store.DB, svc *domain.Service) error { return fn(svc) })
}

// table prints rows with their columns aligned.
func (c *call) table(rows [][]string) error {
	w := tabwriter.NewWriter(c.stdout, 0, 0, 2, ' ', 0)
	for _, row := range rows {
		for i, cell := range row {
			if row[i] = printable(cell); cell == "" {
				row[i] = "-"
			}
		}
		fmt.Fprintln(w, strings.Join(row, "\t"))
	}
	return w.Flush()
}

// formatTime returns a time to the minute, in UTC, and "" for the zero time.
func formatTime(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format("2006-01-02 15:04Z")
}
