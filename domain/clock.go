package domain

import (
	"context"
	"errors"
	"time"
)

// settle rejects one confirm if its deadline has come. Whoever reads a confirm
// that is due settles it first, so nobody is ever told "pending" after the
// deadline, whatever the clock below is doing.
func (s *Service) settle(ctx context.Context, id string) error {
	return s.store.Tx(ctx, func(tx Tx) error {
		c, err := tx.Confirm(id)
		if err != nil || !c.Due(s.clock()) {
			return err
		}
		_, err = s.expire(tx, c)
		return err
	})
}

// RunClock rejects confirms as their deadlines come, until ctx ends. It only
// helps: it makes a timeout known at once to those who listen.
func (s *Service) RunClock(ctx context.Context) error {
	follow := s.feed.Subscribe()
	defer func() { follow.Close() }()
	for {
		next, err := s.expireDue(ctx)
		if ctx.Err() != nil {
			return nil
		}
		// With nothing due, or the database away, look again after a while:
		// another process may have written, and a clock may have jumped.
		pause := 5 * time.Second
		if err == nil && !next.IsZero() {
			pause = min(pause, max(next.Sub(s.clock()), time.Millisecond))
		}
		timer := time.NewTimer(pause)
		select {
		case <-timer.C:
		case e, ok := <-follow.Entries():
			if !ok {
				if s.feedClosed() {
					timer.Stop()
					return nil
				}
				follow = s.feed.Subscribe()
			} else if e.Type != "confirm.requested" {
				break
			}
		case <-ctx.Done():
		}
		timer.Stop()
	}
}

func (s *Service) feedClosed() bool {
	select {
	case <-s.feed.Done():
		return true
	default:
		return false
	}
}

// expireBatch bounds how many timeouts one look settles, so that other writers
// are not kept waiting.
const expireBatch = 100

// expireDue settles what is due and gives the next deadline.
func (s *Service) expireDue(ctx context.Context) (next time.Time, err error) {
	for {
		var due []string
		err := s.store.View(ctx, func(r Reader) (err error) {
			if due, err = r.DueConfirms(s.clock(), expireBatch); err != nil || len(due) > 0 {
				return err
			}
			next, err = r.NextDeadline()
			return err
		})
		if err != nil || len(due) == 0 {
			return next, err
		}
		var failed error
		for _, id := range due {
			failed = errors.Join(failed, s.settle(ctx, id))
		}
		if failed != nil {
			return time.Time{}, failed
		}
	}
}
