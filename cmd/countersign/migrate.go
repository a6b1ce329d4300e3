package main

import (
	"context"
	"flag"
	"fmt"
	"time"

	"countersign/domain"
	"countersign/store"
)

var migrate = command{
	name: "migrate", flags: "[--from FILE]",
	about: "Creates the database or upgrades its schema. Every other command does this first, except evidence verify and migrate status, which change nothing. A database that was changed after it was signed is refused with exit code 4. With --from it moves a SQLite database into an empty PostgreSQL database.",
	setup: func(f *flag.FlagSet) action {
		from := f.String("from", "", "the `FILE` of a SQLite database to move; it must not be in use and is not changed")
		return func(ctx context.Context, c *call) error {
			if *from != "" {
				return c.migrateFromSQLite(ctx, *from)
			}
			return c.service(ctx, func(*domain.Service) error {
				_, err := fmt.Fprintf(c.stdout, "%s is up to date\n", store.Label(c.db))
				return err
			})
		}
	},
}

// migrateFromSQLite copies a SQLite database into the one that --db names.
func (c *call) migrateFromSQLite(ctx context.Context, from string) error {
	if !store.IsPostgreSQL(c.db) || store.IsPostgreSQL(from) {
		return usageErrorf("--from FILE moves a SQLite database into PostgreSQL. Give the target with --db postgres://…")
	}
	options := c.storeOptions()
	options.Now = time.Now
	report, err := store.Move(ctx, from, c.db, options)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(c.stdout, "moved and verified: %d log entries and %d contents\nfrom %s, which is unchanged: keep it, but do not serve it any more\nto %s\n",
		report.Entries, report.Contents, from, store.Label(c.db))
	return err
}

var migrateStatus = command{
	name: "migrate status", about: "Lists the migrations and when each was applied. It changes nothing.",
	setup: func(*flag.FlagSet) action {
		return func(ctx context.Context, c *call) error {
			migrations, err := store.MigrationStatus(ctx, c.db)
			if err != nil {
				return err
			}
			rows := [][]string{{"NUMBER", "NAME", "APPLIED"}}
			for _, m := range migrations {
				rows = append(rows, []string{fmt.Sprint(m.Number), m.Name, formatTime(m.AppliedAt)})
			}
			return c.table(rows)
		}
	},
}
