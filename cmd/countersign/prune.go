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
	about: "Forgets what was asked for in confirms that were decided so long ago, and the reasons of the decisions. Their hashes, ids and the proofs stay; what may still run, and plans, are kept.",
	setup: func(f *flag.FlagSet) action {
		var age life
		f.Var(&age, "older-than", "how long ago: a `SPAN` such as 90d or 12h")
		return func(ctx context.Context, c *call) error {
			if age == 0 {
				return usage("--older-than is missing")
			}
			return c.database(ctx, func(db *store.DB, svc *domain.Service) error {
				n, err := svc.Prune(ctx, time.Duration(age))
				if err == nil || n > 0 {
					_, failed := fmt.Fprintf(c.stdout, "forgot the content of %d confirms\n", n)
					err = errors.Join(err, failed)
				}
				return errors.Join(err, db.EmptyJournal()) // some may be forgotten when it fails
			})
		}
	},
}
