package web

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/labstack/echo/v4"
)

// Addresses that monitors ask.
const (
	healthPath = "/healthz"
	readyPath  = "/readyz"
)

// health says that the process answers.
func (s *Server) health(c echo.Context) error { return c.String(http.StatusOK, "ok\n") }

// readiness reports whether the server can work, with a line for each check. Why
// one fails is for the operator's log.
func (s *Server) readiness(c echo.Context) error {
	status, text := s.ready.answer(c.Request().Context())
	return c.String(status, text)
}

// Drain makes the server say from now on that it is not ready. If a monitor has
// asked lately, it waits until one has heard, or ctx ends: a load balancer then
// sends no more requests here. Those that come are answered as before.
func (s *Server) Drain(ctx context.Context) {
	select {
	case <-s.ready.drain():
	case <-ctx.Done():
	}
}

// Check is something that a server cannot work without.
type Check struct {
	Name string
	Ask  func(context.Context) error // what is wrong, for the operator
}

func (s *Server) haveAssets(context.Context) error {
	if missing := s.assets.Missing(); len(missing) > 0 {
		return errors.New("missing: " + strings.Join(missing, ", "))
	}
	return nil
}

// Times of readiness. Anybody may ask, and the checks write to the disk, so
// they are made once in a while however many ask.
const (
	readyCacheTTL = time.Second
	readyTimeout  = 2 * time.Second
	// monitorWindow is how long ago a monitor may have asked to be waited for.
	monitorWindow = 15 * time.Second
)

// pendingCheck is a check with the answer that it owes; nil: none.
type pendingCheck struct {
	Check
	answer chan error
}

// ask begins to ask, unless the last answer is still owed: a check may hang with
// a database or a disk.
func (a *pendingCheck) ask(ctx context.Context) {
	select {
	case <-a.answer: // it came too late to be true now
	default:
		if a.answer != nil {
			return
		}
	}
	answer := make(chan error, 1)
	a.answer = answer
	go func() { answer <- a.Ask(ctx) }()
}

// hear waits for the answer until ctx ends. One that is there by then counts.
func (a *pendingCheck) hear(ctx context.Context) error {
	err := fmt.Errorf("no answer for %v", readyTimeout)
	select {
	case err = <-a.answer:
		a.answer = nil
	case <-ctx.Done():
		select {
		case err = <-a.answer:
			a.answer = nil
		default:
		}
	}
	return err
}

// readiness makes the checks and remembers what they gave.
type readiness struct {
	checks []*pendingCheck
	logger *slog.Logger

	mu          sync.Mutex
	asked       time.Time // by a monitor
	checked     time.Time
	status      int
	text        string
	draining    bool
	monitorTold chan struct{} // closed once a monitor has heard that the server stops
}

func newReadiness(checks []Check, logger *slog.Logger) *readiness {
	r := &readiness{logger: logger, monitorTold: make(chan struct{})}
	for _, check := range checks {
		r.checks = append(r.checks, &pendingCheck{Check: check})
	}
	return r
}

func (r *readiness) answer(ctx context.Context) (status int, text string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.asked = time.Now()
	if r.asked.Sub(r.checked) >= readyCacheTTL {
		r.check(context.WithoutCancel(ctx)) // others get what this one asked for
	}
	if !r.draining {
		return r.status, r.text + "serving: ok\n"
	}
	select {
	case <-r.monitorTold:
	default:
		close(r.monitorTold)
	}
	return http.StatusServiceUnavailable, r.text + "serving: stopping\n"
}

func (r *readiness) check(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, readyTimeout)
	defer cancel()
	for _, check := range r.checks {
		check.ask(ctx)
	}
	r.status, r.text = http.StatusOK, ""
	for _, check := range r.checks {
		word := "ok"
		if err := check.hear(ctx); err != nil {
			r.status, word = http.StatusServiceUnavailable, "failed"
			r.logger.ErrorContext(ctx, "not ready", "check", check.Name, "error", err)
		}
		r.text += check.Name + ": " + word + "\n"
	}
	r.checked = time.Now()
}

// drain returns a channel that is closed once a monitor has seen that the server
// stops, or if none has asked lately.
func (r *readiness) drain() <-chan struct{} {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.draining && time.Since(r.asked) > monitorWindow {
		close(r.monitorTold)
	}
	r.draining = true
	return r.monitorTold
}
