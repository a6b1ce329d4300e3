package domain

import (
	"context"
	"errors"
	"sync"
	"time"
)

// How deliveries pace themselves.
const (
	queueDelay         = 200 * time.Millisecond // many entries in a row are queued together
	queueShare         = 40                     // queueing takes at most one part in so many of the time
	maxQueueDelay      = 5 * time.Second
	deliveryRetryDelay = 5 * time.Second  // after a failure of the database
	deliveryPoll       = 30 * time.Second // another process may have queued something
	pruneInterval      = time.Hour
	maxSenders         = 8
	maxSendersTo       = 2 // one destination
	recordInterval     = time.Second
	lastSendAfterClaim = 45 * time.Second // an attempt takes 10 s, and then the claim must still hold
	recordTimeout      = 10 * time.Second // also when the server stops
)

// Send makes one attempt to send a message.
type Send func(ctx context.Context, d *Dispatch) DeliveryResult

// RunDeliveries queues deliveries and sends them until ctx ends or the server stops.
// Nothing that is decided depends on it, and nobody waits for it.
func (s *Service) RunDeliveries(ctx context.Context, send Send) {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	go func() {
		select {
		case <-s.feed.Done():
			stop()
		case <-ctx.Done():
		}
	}()
	d := &dispatcher{s: s, send: send, busy: map[string]int{}, paused: map[string]time.Time{}}
	d.running.Go(func() { s.runQueue(ctx) })
	d.run(ctx)
	d.running.Wait()
}

// runQueue queues the deliveries of entries soon after they are written.
func (s *Service) runQueue(ctx context.Context) {
	woken := newSignal()
	end := s.feed.addWaiter(woken.notify, allEntriesTopic)
	defer end()
	for failed := false; ; {
		began := time.Now()
		more, err := s.QueueDeliveries(ctx)
		if ctx.Err() != nil {
			return
		}
		s.wakeDeliveries()
		// It takes longer while the server is busy, and then those who ask come first.
		pause, wake := min(max(queueDelay, queueShare*time.Since(began)), maxQueueDelay), woken
		switch {
		case err != nil:
			if !failed && !errors.Is(err, ErrStoreClosed) {
				s.logger.Error("messages to destinations could not be queued", "error", err)
			}
			pause, wake = deliveryRetryDelay, nil
		case more:
			wake = nil
		}
		failed = err != nil
		if wake != nil {
			select {
			case <-wake:
			case <-ctx.Done():
				return
			}
		}
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return
		}
	}
}

// wakeDeliveries has the dispatcher look what is due.
func (s *Service) wakeDeliveries() {
	select {
	case s.deliveriesDue <- struct{}{}:
	default: // it will look
	}
}

// dispatcher starts senders for the destinations that something is due for.
type dispatcher struct {
	s       *Service
	send    Send
	running sync.WaitGroup

	mu     sync.Mutex
	busy   map[string]int       // senders by destination
	paused map[string]time.Time // until when, after a failure of the database
}

func (d *dispatcher) run(ctx context.Context) {
	pruned, failed := time.Time{}, false
	for ctx.Err() == nil {
		if time.Since(pruned) > pruneInterval {
			pruned = time.Now()
			if err := d.s.PruneDeliveries(ctx); err != nil && ctx.Err() == nil {
				d.s.logger.Warn("old deliveries could not be deleted", "error", err)
			}
		}
		pause := deliveryPoll
		due, next, err := d.s.dueDestinations(ctx)
		switch {
		case err != nil:
			if !failed && ctx.Err() == nil && !errors.Is(err, ErrStoreClosed) {
				d.s.logger.Error("messages to destinations cannot be sent", "error", err)
			}
			pause = deliveryRetryDelay
		case !next.IsZero():
			pause = min(pause, max(next.Sub(d.s.clock()), time.Millisecond))
		}
		failed = err != nil
		for _, id := range due {
			d.start(ctx, id)
		}
		select {
		case <-d.s.deliveriesDue:
		case <-time.After(pause):
		case <-ctx.Done():
		}
	}
}

// dueDestinations returns the destinations that may be told something now, and when the
// next delivery is due that is not due yet; zero for none.
func (s *Service) dueDestinations(ctx context.Context) (due []string, next time.Time, err error) {
	now := s.clock()
	err = s.store.View(ctx, func(r Reader) error {
		list, err := r.Destinations()
		if err != nil {
			return err
		}
		for _, d := range list {
			at, err := r.NextDelivery(d.ID)
			if errors.Is(err, ErrNotFound) {
				continue
			} else if err != nil {
				return err
			}
			health, err := r.DestinationHealth(d.ID)
			if err != nil {
				return err
			}
			if !health.canTry(now) && at.Before(health.TriedAt.Add(breakerPause)) {
				at = health.TriedAt.Add(breakerPause)
			}
			if !at.After(now) {
				due = append(due, d.ID)
			} else if next.IsZero() || at.Before(next) {
				next = at
			}
		}
		return nil
	})
	return due, next, err
}

// start starts a sender, if the destination has not its number of them.
func (d *dispatcher) start(ctx context.Context, id string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	all := 0
	for _, n := range d.busy {
		all += n
	}
	if all >= maxSenders || d.busy[id] >= maxSendersTo || time.Now().Before(d.paused[id]) {
		return
	}
	d.busy[id]++
	d.running.Go(func() {
		err := d.sendAll(ctx, id)
		d.mu.Lock()
		if d.busy[id]--; d.busy[id] == 0 {
			delete(d.busy, id)
		}
		if err != nil {
			d.paused[id] = time.Now().Add(deliveryRetryDelay)
		}
		d.mu.Unlock()
		if err != nil && ctx.Err() == nil && !errors.Is(err, ErrStoreClosed) {
			d.s.logger.Error("messages to a destination cannot be sent", "destination", id, "error", err)
		}
		d.s.wakeDeliveries()
	})
}

// sendAll sends what is due for a destination, until nothing is.
func (d *dispatcher) sendAll(ctx context.Context, id string) error {
	for ctx.Err() == nil {
		claimed := time.Now()
		list, err := d.s.ClaimDeliveries(ctx, id)
		if err != nil || len(list) == 0 {
			return err
		}
		if len(list) == maxClaimed {
			d.s.wakeDeliveries() // there may be enough for a second sender
		}
		if err := d.sendClaimed(ctx, id, list, claimed.Add(lastSendAfterClaim)); err != nil {
			return err
		}
	}
	return nil
}

// sendClaimed sends deliveries and records what became of them, again and again: what is
// not recorded when the process ends is sent a second time. What is not sent until the
// deadline, or after failures in a row, others will claim.
func (d *dispatcher) sendClaimed(ctx context.Context, id string, list []*Dispatch, deadline time.Time) error {
	var results []DeliveryResult
	recorded, failures := time.Now(), 0
	record := func() error {
		ctx, stop := context.WithTimeout(context.WithoutCancel(ctx), recordTimeout)
		defer stop()
		err := d.s.RecordDeliveries(ctx, id, results)
		results, recorded = nil, time.Now()
		return err
	}
	for _, dispatch := range list {
		if time.Now().After(deadline) || failures >= breakerFailures || ctx.Err() != nil {
			break
		}
		result := d.send(ctx, dispatch)
		if ctx.Err() != nil && result.Failure != "" {
			break // it was cut short
		}
		result.ID = dispatch.Message.ID
		results = append(results, result)
		if failures++; result.Failure == "" {
			failures = 0
		}
		if time.Since(recorded) >= recordInterval || result.Failure != "" {
			if err := record(); err != nil {
				return err
			}
		}
	}
	return record()
}
