package store

import (
	"context"

	"countersign/domain"
)

// countProbe is a count of nothing.
const countProbe = "probe"

// Writable says whether the database can be written: it writes, and commits,
// what changes nothing.
func (db *DB) Writable(ctx context.Context) error {
	return db.Tx(ctx, func(x domain.Tx) error {
		x.(*tx).count(0, countProbe)
		return nil
	})
}
