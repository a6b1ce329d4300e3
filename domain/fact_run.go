package domain

import (
	"context"
	"errors"
	"time"
)

// How the follower of decisions paces itself. Many decisions in a row are folded
// together, and a rebuild leaves the database to others for most of the time.
const (
	factDelay      = 200 * time.Millisecond
	factRetryDelay = 5 * time.Second
)

// RunFacts folds decisions soon after they are made, until ctx ends. Nothing that is
// decided depends on it: without it the facts are silent.
func (s *Service) RunFacts(ctx context.Context) {
	woken := newSignal()
	stop := s.feed.addWaiter(woken.notify, allEntriesTopic)
	defer stop()
	failed := false
	for {
		began := time.Now()
		more, err := s.FoldFacts(ctx)
		if ctx.Err() != nil || s.isStopping() {
			return
		}
		pause, wake := factDelay, woken
		switch {
		case err != nil:
			if !failed && !errors.Is(err, ErrStoreClosed) {
				s.logger.Error("decisions could not be counted for later requests", "error", err)
			}
			pause, wake = factRetryDelay, nil
		case more:
			pause, wake = 2*time.Since(began), nil
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
		case <-s.feed.Done():
			return
		case <-ctx.Done():
			return
		}
	}
}
