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

// How often the clock looks when it knows of no deadline, because another
// process may have written or the time may have jumped, and how soon after a
// confirm was requested. A deadline is at least a second after its request, so
// nothing is missed, and a thousand requests cost one look.
const (
	clockIdle = 5 * time.Second
	clockSoon = 500 * time.Millisecond
)

// RunClock rejects confirms as their deadlines come, until ctx ends. It only
// helps: it makes a timeout known at once to those who listen.
func (s *Service) RunClock(ctx context.Context) error {
	follow := s.feed.Subscribe()
	defer func() { follow.Close() }()
	for {
		next, _, err := s.expireDue(ctx)
		if ctx.Err() != nil {
			return nil
		}
		pause := clockIdle
		if err == nil && !next.IsZero() {
			pause = min(pause, max(next.Sub(s.clock()), time.Millisecond))
		}
		for look := time.NewTimer(pause); look != nil; {
			select {
			case e, ok := <-follow.Entries():
				switch {
				case !ok && s.feedClosed():
					return nil
				case !ok:
					follow, look = s.feed.Subscribe(), nil
				case e.Type == "confirm.requested" && pause > clockSoon:
					pause = clockSoon
					look.Reset(pause)
				}
			case <-look.C:
				look = nil
			case <-ctx.Done():
				return nil
			}
		}
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

// Settle rejects what is due, and gives the number of the newest log entry, -1
// for none: while it stays, no list changes. It tells nothing else, so anyone
// known may ask.
func (s *Service) Settle(ctx context.Context) (last int64, err error) {
	_, last, err = s.expireDue(ctx)
	return last, err
}

// deadlines are what a look at them found: until the log goes on, or the next one
// passes, there is nothing new to find.
type deadlines struct {
	last int64     // newest log entry
	next time.Time // zero: none
}

// expireDue settles what is due and gives the next deadline, with the number of
// the newest log entry.
func (s *Service) expireDue(ctx context.Context) (next time.Time, last int64, err error) {
	for {
		var due []string
		err := s.store.View(ctx, func(r Reader) (err error) {
			seq, err := r.NextSeq()
			if err != nil {
				return err
			}
			last = seq - 1
			if seen := s.looked.Load(); seen != nil && seen.last == last && (seen.next.IsZero() || s.clock().Before(seen.next)) {
				next = seen.next
				return nil
			}
			if due, err = r.DueConfirms(s.clock(), expireBatch); err != nil || len(due) > 0 {
				return err
			}
			if next, err = r.NextDeadline(); err == nil {
				s.looked.Store(&deadlines{last, next})
			}
			return err
		})
		if err != nil || len(due) == 0 {
			return next, last, err
		}
		var failed error
		for _, id := range due {
			failed = errors.Join(failed, s.settle(ctx, id))
		}
		if failed != nil {
			return time.Time{}, 0, failed
		}
	}
}
