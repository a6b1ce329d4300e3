package domain

import (
	"context"
	"errors"
	"slices"
	"time"
)

// settle rejects one confirm if its deadline has come. Whoever reads a confirm
// that is due settles it first, so nobody is ever told "pending" after the
// deadline, whatever the clock below is doing.
func (s *Service) settle(ctx context.Context, id string) error {
	return s.store.Tx(ctx, func(tx Tx) error {
		c, err := tx.Confirm(id)
		if err != nil || !c.Due(s.clock()) {
			if err == nil && c.Status == Pending { // else it would be found due again and again
				s.unsettled.Store(id, s.clock())
			}
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
		found, err := s.expireDue(ctx)
		if ctx.Err() != nil {
			return nil
		}
		pause := clockIdle
		if err == nil && !found.next.IsZero() {
			pause = min(pause, max(found.next.Sub(s.clock()), time.Millisecond))
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
// for none: while it stays, no list changes. Whoever has just read that number
// gives it, and mostly spares a look. It tells nothing else, so anyone known may
// ask.
func (s *Service) Settle(ctx context.Context, seen int64) (last int64, err error) {
	if s.looked.Load().hold(seen, s.clock()) {
		return seen, nil
	}
	found, err := s.expireDue(ctx)
	return found.last, err
}

// deadlines are what a look at them found.
type deadlines struct {
	last int64     // newest log entry
	next time.Time // zero: none
}

// hold says whether there is nothing new to find: not until the log goes on, or
// the next deadline passes.
func (d *deadlines) hold(last int64, now time.Time) bool {
	return d != nil && d.last == last && (d.next.IsZero() || now.Before(d.next))
}

// due finds confirms whose deadlines have come; without any it gives the next
// deadline.
func (s *Service) due(r Reader) (ids []string, found deadlines, err error) {
	seq, err := r.NextSeq()
	if err != nil {
		return nil, found, err
	}
	if seen := s.looked.Load(); seen.hold(seq-1, s.clock()) {
		return nil, *seen, nil
	}
	found.last = seq - 1
	if ids, err = r.DueConfirms(s.clock(), expireBatch); err != nil {
		return nil, found, err
	}
	if ids = slices.DeleteFunc(ids, s.isUnsettled); len(ids) > 0 {
		return ids, found, nil
	}
	if found.next, err = r.NextDeadline(); err == nil {
		s.looked.Store(&found)
	}
	return nil, found, err
}

// expireDue settles what is due and gives the next deadline.
func (s *Service) expireDue(ctx context.Context) (found deadlines, err error) {
	for {
		var due []string
		err := s.store.View(ctx, func(r Reader) (err error) {
			due, found, err = s.due(r)
			return err
		})
		if err == nil && len(due) > 0 {
			err = s.settleAll(ctx, due)
		}
		if err != nil || len(due) == 0 {
			return found, err
		}
	}
}

// readSettled is read on a snapshot in which nothing is due.
func (s *Service) readSettled(ctx context.Context, ref Ref, fn func(Reader, *Principal) error) error {
	for {
		var due []string
		err := s.read(ctx, ref, func(r Reader, p *Principal) (err error) {
			if due, _, err = s.due(r); err != nil || len(due) > 0 {
				return err
			}
			return fn(r, p)
		})
		if err == nil && len(due) > 0 {
			err = s.settleAll(ctx, due)
		}
		if err != nil || len(due) == 0 {
			return err
		}
	}
}

// settleAll settles what is due. What the log does not prove cannot be: it is left
// alone for a while, so that the rest goes on.
func (s *Service) settleAll(ctx context.Context, ids []string) (failed error) {
	for _, id := range ids {
		err := s.settle(ctx, id)
		if errors.Is(err, ErrUnproven) || errors.Is(err, ErrNotFound) {
			s.unsettled.Store(id, s.clock())
			continue
		}
		failed = errors.Join(failed, err)
	}
	return failed
}

// unsettledPause is how long a confirm is left alone that could not be settled.
const unsettledPause = time.Minute

func (s *Service) isUnsettled(id string) bool {
	at, isKnown := s.unsettled.Load(id)
	if isKnown && s.clock().Sub(at.(time.Time)) >= unsettledPause {
		s.unsettled.Delete(id)
		isKnown = false
	}
	return isKnown
}
