package main

import (
	"context"
	"flag"

	"countersign/domain"
	"countersign/store"
)

var backup = command{
	name: "backup", names: []string{"FILE"},
	about: "Copies a SQLite database into a new file while servers keep running. An existing file is refused. To restore a copy: stop the servers, remove the database's -wal and -shm files, put the copy in its place, and start serve once with --accept-restore.",
	setup: func(*flag.FlagSet) action {
		return func(ctx context.Context, c *call) error {
			if store.IsPostgreSQL(c.db) {
				return usageErrorf("%v", store.ErrBackup)
			}
			return c.database(ctx, func(db *store.DB, _ *domain.Service) error { return db.Backup(ctx, c.names[0]) })
		}
	},
}
