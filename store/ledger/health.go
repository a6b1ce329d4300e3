package ledger

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// countProbe is a count that never changes.
const countProbe = "probe"

// refusedLately is how long a failure to store a change counts: the probe may fit on a
// disk that has no room for a change. A log that is not as it was signed always counts.
const refusedLately = 10 * time.Second

// refusal is a failure to store changes.
type refusal struct {
	at    time.Time
	cause error
}

// isPermanent reports whether no change can be stored while the log is as it is.
func (r *refusal) isPermanent() bool { return r != nil && unsigned(r.cause) }

// unsigned reports whether the log is not as it was signed.
func unsigned(err error) bool { return errors.Is(err, ErrRollback) || errors.Is(err, errTampered) }

// Writable returns an error if the database cannot be written. It commits what changes
// nothing. A change that could not be stored lately counts too, unless one was stored
// since.
func (l *Ledger) Writable(ctx context.Context) error {
	err := l.Write(ctx, func(x *Tx) error {
		x.Count(0, countProbe)
		return nil
	})
	r := l.refused.Load()
	if err == nil && r != nil && (r.isPermanent() || l.clock().Sub(r.at) < refusedLately) {
		return fmt.Errorf("a change could not be stored: %w", r.cause)
	}
	return err
}
