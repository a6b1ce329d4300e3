package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"time"

	"countersign/domain"
	"countersign/store"
)

var prune = command{
	name: "prune", flags: "--older-than 90d",
	about: "Deletes the content of old decided requests, and the reasons of their decisions. Hashes, ids and proofs stay. Plans and requests that may still run are kept.",
	setup: func(f *flag.FlagSet) action {
		var age lifetime
		f.Var(&age, "older-than", "how long ago they were decided: a `SPAN` such as 90d or 12h")
		return func(ctx context.Context, c *call) error {
			if age == 0 {
				return usageErrorf("--older-than is missing")
			}
			return c.database(ctx, func(db *store.DB, svc *domain.Service) error {
				n, err := svc.Prune(ctx, time.Duration(age))
				if err == nil || n > 0 {
					_, failed := fmt.Fprintf(c.stdout, "deleted the content of %d requests\n", n)
					err = errors.Join(err, failed)
				}
				return errors.Join(err, db.EmptyJournal()) // some may be forgotten when it fails
			})
		}
	},
}
