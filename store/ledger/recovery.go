package ledger

import (
	"context"
	"errors"
	"time"

	"countersign/domain"
	"countersign/domain/evidence"
)

// recoverCommit finds out what became of a group whose connection failed during the
// commit. It returns nil if the log has the group's last entry, the one before next.
func (l *Ledger) recoverCommit(cause error, next int64, leaves []evidence.Hash) error {
	if !l.conn.Driver.SurvivesLostConn() {
		return l.fail(cause)
	}
	if len(leaves) > 0 {
		ctx, cancel := context.WithTimeout(l.polling, settleTimeout)
		defer cancel()
		for ctx.Err() == nil {
			there, err := l.has(ctx, next-1, leaves[len(leaves)-1])
			switch {
			case err == nil && there:
				return nil
			case err == nil:
				return l.rollbackGroup(cause)
			}
			select {
			case <-ctx.Done():
			case <-time.After(settlePause):
			}
		}
	}
	return domain.ErrOutcomeUnknown.Because(cause)
}

// has reports whether an entry of the log has this hash. It waits for a transaction that
// is still committing: that one holds the lock.
func (l *Ledger) has(ctx context.Context, seq int64, leaf evidence.Hash) (bool, error) {
	if err := l.conn.Begin(ctx); err != nil {
		return false, err
	}
	stored, err := l.reader().Leaf(seq)
	if errors.Is(err, domain.ErrNotFound) {
		stored, err = nil, nil
	}
	return stored != nil && evidence.LeafHash(stored) == leaf, errors.Join(err, l.conn.Rollback())
}

// How long recoverCommit tries, and its pause after an attempt that failed.
const (
	settleTimeout = 5 * time.Second
	settlePause   = 100 * time.Millisecond
)
