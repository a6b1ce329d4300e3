package domain

import (
	"context"
	"errors"
	"slices"
	"time"
)

// expireOne rejects a confirm if its deadline has come. Readers of a due confirm call
// it first, so nobody is told "pending" after the deadline, even if RunClock does not
// run.
func (s *Service) expireOne(ctx context.Context, id string) error {
	return s.store.Tx(ctx, func(tx Tx) error {
		c, err := tx.Confirm(id)
		if err != nil || !c.IsDue(s.clock()) {
			if err == nil && c.Status == Pending { // not due by its own row: do not find it again at once
				s.unexpirable.Put(id, s.clock(), 1)
			}
			return err
		}
		_, err = s.expire(tx, c)
		return err
	})
}

// RunClock polls every clockPollInterval, because another process may have written
// or the time may have jumped. After a request it polls within clockRequestDelay: a
// deadline is at least a second away then, and a thousand requests cost one poll.
const (
	clockPollInterval = 5 * time.Second
	clockRequestDelay = 500 * time.Millisecond
)

// RunClock rejects confirms as their deadlines come, and tells which roles may vote in
// place of others, until ctx ends. Rules do not depend on it: it only makes this known at
// once.
func (s *Service) RunClock(ctx context.Context) error {
	follow := s.feed.Subscribe()
	defer func() { follow.Close() }()
	for {
		found, err := s.expireAllDue(ctx)
		if ctx.Err() != nil {
			return nil
		}
		escalation, escalateErr := s.escalateDue(ctx)
		if ctx.Err() != nil {
			return nil
		}
		pause := clockPollInterval
		if err == nil && !found.next.IsZero() {
			pause = min(pause, max(found.next.Sub(s.clock()), time.Millisecond))
		}
		if escalateErr == nil && !escalation.IsZero() {
			pause = min(pause, max(escalation.Sub(s.clock()), time.Millisecond))
		}
		for look := time.NewTimer(pause); look != nil; {
			select {
			case e, ok := <-follow.Entries():
				switch {
				case !ok && s.isStopping():
					return nil
				case !ok:
					follow, look = s.feed.Subscribe(), nil
				case e.Type == "confirm.requested" && pause > clockRequestDelay:
					pause = clockRequestDelay
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

func (s *Service) isStopping() bool {
	select {
	case <-s.feed.Done():
		return true
	default:
		return false
	}
}

// expireBatch bounds how many timeouts are written before other writers get a turn.
const expireBatch = 100

// ExpireDue rejects what is due and returns the number of the newest log entry, -1 for
// none. While that number stays, no list changes. A caller that has just read the
// number passes it as seen, which mostly spares a query. It reveals nothing else, so it
// checks no rights.
func (s *Service) ExpireDue(ctx context.Context, seen int64) (last int64, err error) {
	if s.deadlineCache.Load().isFresh(seen, s.clock()) {
		return seen, nil
	}
	found, err := s.expireAllDue(ctx)
	return found.lastSeq, err
}

// deadlines is what the last look at deadlines found.
type deadlines struct {
	lastSeq int64     // of the newest log entry
	next    time.Time // zero: none
}

// isFresh reports whether a new look would find the same: the log has not grown, and
// the next deadline has not come.
func (d *deadlines) isFresh(last int64, now time.Time) bool {
	return d != nil && d.lastSeq == last && (d.next.IsZero() || now.Before(d.next))
}

// findDue returns confirms whose deadline has come, or else the next deadline.
func (s *Service) findDue(r Reader) (ids []string, found deadlines, err error) {
	seq, err := r.NextSeq()
	if err != nil {
		return nil, found, err
	}
	if seen := s.deadlineCache.Load(); seen.isFresh(seq-1, s.clock()) {
		return nil, *seen, nil
	}
	found.lastSeq = seq - 1
	if ids, err = r.DueConfirms(s.clock(), expireBatch); err != nil {
		return nil, found, err
	}
	if ids = slices.DeleteFunc(ids, s.isUnexpirable); len(ids) > 0 {
		return ids, found, nil
	}
	if found.next, err = r.NextDeadline(); err == nil {
		s.deadlineCache.Store(&found)
	}
	return nil, found, err
}

// expireAllDue rejects everything that is due and returns the next deadline.
func (s *Service) expireAllDue(ctx context.Context) (found deadlines, err error) {
	for {
		var due []string
		err := s.store.View(ctx, func(r Reader) (err error) {
			due, found, err = s.findDue(r)
			return err
		})
		if err == nil && len(due) > 0 {
			err = s.expireEach(ctx, due)
		}
		if err != nil || len(due) == 0 {
			return found, err
		}
	}
}

// readAfterExpiry is read on a snapshot in which nothing is due.
func (s *Service) readAfterExpiry(ctx context.Context, ref Ref, fn func(Reader, *Principal) error) error {
	for {
		var due []string
		err := s.read(ctx, ref, func(r Reader, p *Principal) (err error) {
			if due, _, err = s.findDue(r); err != nil || len(due) > 0 {
				return err
			}
			return fn(r, p)
		})
		if err == nil && len(due) > 0 {
			err = s.expireEach(ctx, due)
		}
		if err != nil || len(due) == 0 {
			return err
		}
	}
}

// expireEach rejects due confirms. One that the log does not prove is left alone for a
// while, so that the others go on.
func (s *Service) expireEach(ctx context.Context, ids []string) (failed error) {
	for _, id := range ids {
		err := s.expireOne(ctx, id)
		if errors.Is(err, ErrUnproven) || errors.Is(err, ErrNotFound) {
			s.unexpirable.Put(id, s.clock(), 1)
			continue
		}
		failed = errors.Join(failed, err)
	}
	return failed
}

// expireRetryDelay is how long a confirm is left alone after it could not be expired.
const expireRetryDelay = time.Minute

func (s *Service) isUnexpirable(id string) bool {
	failedAt, ok := s.unexpirable.Get(id)
	return ok && s.clock().Sub(failedAt) < expireRetryDelay
}
