package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"runtime/debug"
	"sync"
	"time"

	"countersign/domain"
	"countersign/store"
	"countersign/web"
	"countersign/web/notify"
)

// Limits of one connection. Streams and long polls extend the write timeout.
const (
	headerTimeout  = 5 * time.Second
	readTimeout    = 30 * time.Second
	writeTimeout   = 60 * time.Second
	idleTimeout    = 2 * time.Minute
	maxHeaderBytes = 64 << 10
)

// Timeouts of a shutdown. The process exits within five seconds.
const (
	// stopTimeout bounds the requests that are under way.
	stopTimeout = 4 * time.Second
	// drainTimeout is the part of it that load balancers get to see that the
	// server is not ready any more.
	drainTimeout = 2 * time.Second
	// clockTimeout bounds the clock, which may wait for a database.
	clockTimeout = 500 * time.Millisecond
)

// server is a running Countersign.
type server struct {
	svc  *domain.Service
	feed *domain.Feed
	http *http.Server
	// requests counts those under way, also on hijacked connections, which
	// http.Server does not wait for.
	requests sync.WaitGroup
	drain    func(context.Context) // reports not ready, and waits until load balancers have seen it
	logger   *slog.Logger
	metrics  *metrics  // nil without --metrics
	verifier *verifier // nil if the database is never verified
	sender   *notify.Sender
	failed   chan error // why the server must stop; the first reason counts
}

// slowCommit is how long a commit may take, with its wait, before it is logged.
const slowCommit = time.Second

// onCommit is called after every commit group.
func (s *server) onCommit(g store.Group) {
	if s.metrics != nil {
		s.metrics.group(g)
	}
	if g.Waited+g.Took > slowCommit {
		s.logger.Warn("slow commit", "took", g.Took, "waited", g.Waited, "transactions", g.Members, "entries", len(g.Entries))
	}
}

func (s *server) fail(err error) {
	select {
	case s.failed <- err:
	default:
	}
}

// databaseFailed stops the server. Only opening the database again shows what is
// in it.
func (s *server) databaseFailed(err error) {
	s.fail(fmt.Errorf("the database failed: %w\nCheck its file and its disk, then start the server again", err))
}

// prepare begins a new epoch of the log after a restore, checks that the log can
// be signed, and logs the key that signs it.
func (s *server) prepare(ctx context.Context, acceptRestore bool) error {
	if acceptRestore {
		lost, err := s.svc.AcceptRestore(ctx)
		if err != nil {
			return err
		}
		if lost != nil {
			s.logger.Warn("the database was restored; the log starts a new epoch", "entries", lost.Size, "last_known", lost.LastKnown)
		}
	}
	if err := s.svc.Prepare(ctx); err != nil {
		return err
	}
	keys, err := s.svc.EvidenceKeys(ctx, domain.System)
	if err != nil {
		return fmt.Errorf("%w\nPut the key back, for PostgreSQL from another node. If it is lost, start once with --accept-restore, which creates a new one", err)
	}
	s.logger.Info("the log is signed", "vkey", keys[len(keys)-1].VKey)
	return nil
}

// setHandler creates the HTTP server for the pages and the API.
func (s *server) setHandler(config web.Config) {
	if s.metrics != nil {
		config.Observed, config.Waiting = s.metrics.request, s.metrics.waiting
	}
	handler := web.New(config)
	s.drain = handler.Drain
	s.http = s.newHTTPServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.requests.Add(1)
		defer s.requests.Done()
		handler.ServeHTTP(w, r)
	}))
}

// send makes one attempt to send a message, and counts it.
func (s *server) send(ctx context.Context, d *domain.Dispatch) domain.DeliveryResult {
	result := s.sender.Send(ctx, d)
	if s.metrics != nil {
		s.metrics.delivery(d.Destination.Format, result)
	}
	return result
}

// newHTTPServer returns a server with the limits of connections.
func (s *server) newHTTPServer(handler http.Handler) *http.Server {
	return &http.Server{
		Handler:           handler,
		ReadHeaderTimeout: headerTimeout, ReadTimeout: readTimeout, WriteTimeout: writeTimeout,
		IdleTimeout: idleTimeout, MaxHeaderBytes: maxHeaderBytes,
		ErrorLog: slog.NewLogLogger(s.logger.Handler(), slog.LevelWarn),
	}
}

// version returns the version of the program, or "" if it is unknown.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return ""
	}
	return info.Main.Version
}

// serve answers until ctx ends or something fails. Then it stops, in this order:
// the demo's agent and the verification, load balancers see "not ready", long
// polls and streams end, requests finish, the clock stops.
func (s *server) serve(ctx context.Context, listener net.Listener, agent func(context.Context)) (err error) {
	background, stopBackground := context.WithCancel(context.WithoutCancel(ctx))
	defer stopBackground()
	foreground, stopForeground := context.WithCancel(background) // demo and verification
	defer stopForeground()
	new(idleConns).watch(s.http)
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
	running.Go(func() { s.svc.RunFacts(foreground) })
	running.Go(func() { s.svc.RunDeliveries(foreground, s.send) })
	if s.verifier != nil {
		running.Go(func() { s.verifier.run(foreground) })
	}
	agents.Go(func() { agent(foreground) })
	s.logger.Info("the server is ready", "address", listener.Addr(), "version", version())

	select {
	case <-ctx.Done():
		s.logger.Info("the server is stopping")
	case err = <-s.failed:
		s.logger.Error("the server is stopping", "error", err)
	}
	stopForeground()
	agents.Wait()
	stopCtx, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopTimeout)
	defer cancel()
	if err == nil {
		drainCtx, cancelDrain := context.WithTimeout(stopCtx, drainTimeout)
		s.drain(drainCtx)
		cancelDrain()
	}
	s.feed.Close()
	if shutdownErr := s.http.Shutdown(stopCtx); shutdownErr != nil {
		s.logger.Warn("some requests were interrupted", "error", shutdownErr)
		err = errors.Join(err, s.http.Close())
	}
	waitUntil(stopCtx, &s.requests)
	stopBackground()
	clockCtx, cancelClock := context.WithTimeout(stopCtx, clockTimeout)
	defer cancelClock()
	waitUntil(clockCtx, &running)
	s.logger.Info("the server has stopped")
	return err
}

// waitUntil waits for the group, or until ctx ends.
func waitUntil(ctx context.Context, group *sync.WaitGroup) {
	ctx, cancel := context.WithCancel(ctx)
	go func() {
		group.Wait()
		cancel()
	}()
	<-ctx.Done()
}
