package main

import (
	"context"
	"flag"

	"countersign/domain"
	"countersign/store"
)

var backup = command{
	name: "backup", names: []string{"FILE"},
	about: "Copies a SQLite database into a new file, while servers go on. A file that exists is refused. To restore a copy, stop what serves the database, remove its -wal and -shm files, put the copy in its place, and start serve once with --accept-restore.",
	setup: func(*flag.FlagSet) action {
		return func(ctx context.Context, c *call) error {
			if store.IsPostgreSQL(c.db) {
				return usage("%v", store.ErrBackup)
			}
			return c.database(ctx, func(db *store.DB, _ *domain.Service) error { return db.Backup(ctx, c.names[0]) })
		}
	},
}
