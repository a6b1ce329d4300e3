package store

import (
	"context"
	"errors"
	"time"

	"countersign/domain"
)

// countProbe is a count of nothing.
const countProbe = "probe"

// refusedLately is for how long a change that could not be stored counts: so
// little may be left of a disk that the probe still fits.
const refusedLately = 10 * time.Second

// Writable says whether the database can be written: it writes, and commits,
// what changes nothing, and no change was lost lately without one stored since.
func (db *DB) Writable(ctx context.Context) error {
	err := db.Tx(ctx, func(x domain.Tx) error {
		x.(*tx).count(0, countProbe)
		return nil
	})
	if at := db.writer.refused.Load(); err == nil && at != nil && db.writer.clock().Sub(*at) < refusedLately {
		return errors.New("a change could not be stored")
	}
	return err
}
