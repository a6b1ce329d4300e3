package main

import (
	"context"
	"flag"
	"fmt"

	"countersign/domain"
	"countersign/store"
)

var migrate = command{
	name: "migrate", about: "Creates the database or brings it to this program's schema. Every other command does the same first.",
	setup: func(*flag.FlagSet) action {
		return func(ctx context.Context, c *call) error {
			return c.service(ctx, func(*domain.Service) error {
				_, err := fmt.Fprintf(c.stdout, "%s is up to date\n", store.Label(c.db))
				return err
			})
		}
	},
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
				rows = append(rows, []string{fmt.Sprint(m.Number), m.Name, day(m.AppliedAt)})
			}
			return c.table(rows)
		}
	},
}
