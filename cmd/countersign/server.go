package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"time"

	"countersign/domain"
)

// stopTimeout is how long requests may take to end when the server stops. With
// what comes before and after, it is gone within five seconds.
const stopTimeout = 4 * time.Second

// server is a running Countersign.
type server struct {
	svc    *domain.Service
	feed   *domain.Feed
	http   *http.Server
	logger *slog.Logger
	failed chan error // why it must stop; the first reason is enough
}

func (s *server) fail(err error) {
	select {
	case s.failed <- err:
	default:
	}
}

// prepare makes the database one that can be served: its log can be signed, and
// the log says so if it was restored. It tells the operator the key that signs.
func (s *server) prepare(ctx context.Context, acceptRestore bool) error {
	if acceptRestore {
		lost, err := s.svc.AcceptRestore(ctx)
		if err != nil {
			return err
		}
		if lost != nil {
			s.logger.Warn("the database was restored: a new epoch of the log begins", "entries", lost.Size, "last_known", lost.LastKnown)
		}
	}
	if err := s.svc.Prepare(ctx); err != nil {
		return err
	}
	keys, err := s.svc.EvidenceKeys(ctx, domain.System)
	if err != nil {
		return fmt.Errorf("%w\nPut the key back; if it is lost, start once with --accept-restore, which makes a new one", err)
	}
	s.logger.Info("the log is signed", "vkey", keys[len(keys)-1].VKey)
	return nil
}

// serve answers until ctx ends or something fails. Then the agent of the demo
// stops asking, waits and streams are ended (they would not end by
// themselves), requests are finished, and the clock stops.
func (s *server) serve(ctx context.Context, listener net.Listener, agent func(context.Context)) (err error) {
	background, stop := context.WithCancel(context.WithoutCancel(ctx))
	defer stop()
	asking, hush := context.WithCancel(background)
	defer hush()
	new(silent).watch(s.http)
	var running, agents sync.WaitGroup
	running.Go(func() {
		if err := s.http.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
			s.fail(err)
		}
	})
	running.Go(func() {
		if err := s.svc.RunClock(background); err != nil {
			s.fail(err)
		}
	})
	agents.Go(func() { agent(asking) })

	select {
	case <-ctx.Done():
	case err = <-s.failed:
		s.logger.Error("the server stops", "error", err)
	}
	hush()
	agents.Wait()
	s.feed.Close()
	last, cancel := context.WithTimeout(background, stopTimeout)
	defer cancel()
	if late := s.http.Shutdown(last); late != nil {
		s.logger.Warn("requests were cut off", "error", late)
		err = errors.Join(err, s.http.Close())
	}
	stop()
	running.Wait()
	return err
}
