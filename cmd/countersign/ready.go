package main

import (
	"context"

	"countersign/domain"
	"countersign/store"
	"countersign/web"
)

// checks returns the readiness checks of the database.
func checks(db *store.DB) []web.Check {
	return []web.Check{
		{Name: "database", Ask: db.Ready},
		{Name: "writing", Ask: db.Writable},
		{Name: "signing key", Ask: func(ctx context.Context) error {
			return db.View(ctx, func(r domain.Reader) error {
				_, _, err := r.Checkpoint()
				return err
			})
		}},
	}
}
