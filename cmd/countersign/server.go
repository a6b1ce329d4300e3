package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"runtime"
	"runtime/debug"
	"sync"
	"time"

	"countersign/domain"
	"countersign/store"
	"countersign/web"
)

// Bounds of one connection. Streams and long waits extend the write timeout for
// themselves.
const (
	headerTimeout  = 5 * time.Second
	readTimeout    = 30 * time.Second
	writeTimeout   = 60 * time.Second
	idleTimeout    = 2 * time.Minute
	maxHeaderBytes = 64 << 10
)

// stopTimeout is how long requests may take to end when the server stops. With
// what comes before and after, it is gone within five seconds. drainTimeout is
// how much of it a load balancer gets that has asked whether the server is
// ready, to hear that it is not any more, and clockTimeout how much the clock
// gets, which may wait for a database that does not answer.
const (
	stopTimeout  = 4 * time.Second
	drainTimeout = 2 * time.Second
	clockTimeout = 500 * time.Millisecond
)

// server is a running Countersign.
type server struct {
	svc  *domain.Service
	feed *domain.Feed
	http *http.Server
	// requests are those being answered, streams too, whose connections are not the
	// HTTP server's any more.
	requests sync.WaitGroup
	drain    func(context.Context) // makes it say that it stops, and waits until that was heard
	logger   *slog.Logger
	metrics  *metrics   // nil: nobody asked for any
	verifier *verifier  // nil: the database is not verified
	failed   chan error // why it must stop; the first reason is enough
}

// slowCommit is how long a commit may take, with the wait for its turn, before
// the operator hears of it.
const slowCommit = time.Second

// observed is told of every commit group.
func (s *server) observed(g store.Group) {
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

// databaseFailed ends the server: only who opens the database again finds out
// what is in it.
func (s *server) databaseFailed(err error) {
	s.fail(fmt.Errorf("the database failed: %w\nSee to its file and its disk, then start the server again", err))
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
		return fmt.Errorf("%w\nPut the key back, of a PostgreSQL database from another node; if it is lost, start once with --accept-restore, which makes a new one", err)
	}
	s.logger.Info("the log is signed", "vkey", keys[len(keys)-1].VKey)
	return nil
}

// answer makes the server one that answers what config says.
func (s *server) answer(config web.Config) {
	if s.metrics != nil {
		config.Observed, config.Waiting = s.metrics.request, s.metrics.waiting
	}
	handler := web.New(config)
	s.drain = handler.Drain
	s.http = s.bounded(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.requests.Add(1)
		defer s.requests.Done()
		handler.ServeHTTP(w, r)
	}))
}

// bounded serves within the bounds of connections.
func (s *server) bounded(handler http.Handler) *http.Server {
	return &http.Server{
		Handler:           handler,
		ReadHeaderTimeout: headerTimeout, ReadTimeout: readTimeout, WriteTimeout: writeTimeout,
		IdleTimeout: idleTimeout, MaxHeaderBytes: maxHeaderBytes,
		ErrorLog: slog.NewLogLogger(s.logger.Handler(), slog.LevelWarn),
	}
}

// version is that of the program, "" if it was built without saying.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return ""
	}
	return info.Main.Version
}

// serve answers until ctx ends or something fails. Then the agent of the demo
// stops asking, a verification is ended, load balancers are told, waits and streams are ended (they would
// not end by themselves), requests are finished, and the clock stops.
func (s *server) serve(ctx context.Context, listener net.Listener, agent func(context.Context)) (err error) {
	tuneCollector()
	defer runtime.KeepAlive(ballast)
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
	if s.verifier != nil {
		running.Go(func() { s.verifier.run(asking) })
	}
	agents.Go(func() { agent(asking) })
	s.logger.Info("the server answers", "address", listener.Addr(), "version", version())

	select {
	case <-ctx.Done():
		s.logger.Info("the server stops")
	case err = <-s.failed:
		s.logger.Error("the server stops", "error", err)
	}
	hush()
	agents.Wait()
	last, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopTimeout)
	defer cancel()
	if err == nil {
		heard, enough := context.WithTimeout(last, drainTimeout)
		s.drain(heard)
		enough()
	}
	s.feed.Close()
	if late := s.http.Shutdown(last); late != nil {
		s.logger.Warn("requests were cut off", "error", late)
		err = errors.Join(err, s.http.Close())
	}
	answered, all := context.WithCancel(last)
	go func() {
		s.requests.Wait()
		all()
	}()
	<-answered.Done()
	stop()
	ended, end := context.WithTimeout(last, clockTimeout)
	go func() {
		running.Wait()
		end()
	}()
	<-ended.Done()
	s.logger.Info("the server has stopped")
	return err
}
