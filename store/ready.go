package store

import (
	"context"
	"errors"
	"fmt"
	"time"

	"countersign/domain"
)

// countProbe is a count of nothing.
const countProbe = "probe"

// refusedLately is for how long a change that could not be stored counts: so
// little may be left of a disk that the probe still fits. That the log is not
// the one that was signed counts until it is.
const refusedLately = 10 * time.Second

// refusal is that changes could not be stored.
type refusal struct {
	at    time.Time
	cause error
}

// lasts says whether no change can be, as long as the log is what it is.
func (r *refusal) lasts() bool { return r != nil && unsigned(r.cause) }

// unsigned says whether the log is not the one that was signed.
func unsigned(err error) bool { return errors.Is(err, ErrRollback) || errors.Is(err, errTampered) }

// Writable says whether the database can be written: it writes, and commits,
// what changes nothing, and no change was lost lately without one stored since.
func (db *DB) Writable(ctx context.Context) error {
	err := db.Tx(ctx, func(x domain.Tx) error {
		x.(*tx).count(0, countProbe)
		return nil
	})
	r := db.writer.refused.Load()
	if err == nil && r != nil && (r.lasts() || db.writer.clock().Sub(r.at) < refusedLately) {
		return fmt.Errorf("a change could not be stored: %w", r.cause)
	}
	return err
}
