package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"countersign/cmd/bench/load"
)

// room measures what the database of decided confirms takes beyond their
// contents.
func room(ctx context.Context, r *round) error {
	dir, err := r.fresh()
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	file := filepath.Join(dir, database)
	before, err := os.Stat(file)
	if err != nil {
		return err
	}
	decided := 0
	err = r.on(ctx, dir, func(p *product) error {
		for decided < r.size.decided {
			done, err := r.load(ctx, p.travelling(load.Trip, 16, r.size))
			if err != nil {
				return err
			}
			decided += done.Done
		}
		return nil
	})
	if err != nil {
		return err
	}
	after, err := os.Stat(file) // without a journal, which ended with the server
	if err != nil {
		return err
	}
	confirms, content, err := contents(ctx, file)
	if err != nil {
		return err
	}
	if confirms != decided {
		return fmt.Errorf("%d confirms were decided and %d are there", decided, confirms)
	}
	each := float64(after.Size()-before.Size()) / float64(decided)
	r.set("database bytes per decided confirm", "B", each)
	r.set("database bytes per decided confirm beyond its content", "B", each-content)
	return r.verify(ctx, dir)
}

// contents counts the confirms of a database and gives how long their contents
// are on average.
func contents(ctx context.Context, path string) (n int, length float64, err error) {
	c, shut, err := open(ctx, path)
	if err != nil {
		return 0, 0, err
	}
	err = c.QueryRowContext(ctx, "SELECT COUNT(*), COALESCE(AVG(LENGTH(content)), 0) FROM confirm_contents").Scan(&n, &length)
	return n, length, errors.Join(err, shut())
}
