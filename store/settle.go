package store

import (
	"context"
	"errors"
	"time"

	"countersign/domain"
	"countersign/domain/evidence"
)

// settle finds out what became of a group whose connection failed while it was
// committed. It returns nil if the log has the group's last entry, which next
// follows.
func (w *writer) settle(cause error, next int64, leaves []evidence.Hash) error {
	if !w.c.dialect.outlives() {
		return w.fail(cause)
	}
	if len(leaves) > 0 {
		ctx, cancel := context.WithTimeout(w.polling, settleTimeout)
		defer cancel()
		for ctx.Err() == nil {
			there, err := w.has(ctx, next-1, leaves[len(leaves)-1])
			switch {
			case err == nil && there:
				return nil
			case err == nil:
				return w.abandon(cause)
			}
			select {
			case <-ctx.Done():
			case <-time.After(settlePause):
			}
		}
	}
	return unknown(cause)
}

// has says whether an entry of the log is the one with this hash. It waits for
// what may still be committing: a connection's lock ends with it.
func (w *writer) has(ctx context.Context, seq int64, leaf evidence.Hash) (bool, error) {
	if err := w.c.begin(ctx, w.c.dialect.words().begin); err != nil {
		return false, err
	}
	stored, err := (&reader{c: w.c}).Leaf(seq)
	if errors.Is(err, domain.ErrNotFound) {
		stored, err = nil, nil
	}
	return stored != nil && evidence.LeafHash(stored) == leaf, errors.Join(err, w.c.rollback())
}

// How long it is tried to find out what became of a group, and the pause after
// an attempt that failed.
const (
	settleTimeout = 5 * time.Second
	settlePause   = 100 * time.Millisecond
)

// unknown is the answer when it could not be found out.
func unknown(cause error) error {
	return &domain.Error{Code: domain.CodeEvidenceUnavailable,
		Message: "The storage failed while the change was being written: whether it happened is unknown.", Err: cause}
}
