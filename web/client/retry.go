package client

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/url"
	"time"
)

// Between two tries is a random pause, at first short.
const (
	minPause = 200 * time.Millisecond
	maxPause = 5 * time.Second
)

// retry makes a call until it is answered, fails for good, or giveUp comes. The zero
// giveUp never comes.
func (c *Client) retry(ctx context.Context, giveUp time.Time, call call) (*answer, error) {
	for longest := 2 * minPause; ; longest = min(2*longest, maxPause) {
		a, err := c.send(ctx, call)
		switch {
		case err == nil:
			return a, nil
		case ctx.Err() != nil:
			return nil, &interrupted{context.Cause(ctx), err}
		case !isTemporary(err):
			return nil, err
		}
		pause := minPause + rand.N(longest-minPause)
		if !giveUp.IsZero() && time.Now().Add(pause).After(giveUp) {
			return nil, err
		}
		if c.Retrying != nil {
			c.Retrying(err)
		}
		if ended := sleep(ctx, pause); ended != nil {
			return nil, &interrupted{ended, err}
		}
	}
}

// sleep returns nil after d, or the cause of the end of ctx. d may be negative.
func sleep(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// isTemporary reports whether the same call may succeed soon.
func isTemporary(err error) bool {
	var problem *Problem
	if errors.As(err, &problem) {
		return problem.isTemporary()
	}
	var lost *unreachable
	var untrusted *tls.CertificateVerificationError
	return errors.As(err, &lost) && !errors.As(err, &untrusted)
}

// unreachable reports that no whole answer came.
type unreachable struct{ err error }

// newUnreachable drops the URL from an error, since its query may have a reason.
func newUnreachable(err error) error {
	var outer *url.Error
	if errors.As(err, &outer) {
		err = outer.Err
	}
	return &unreachable{err}
}

func (e *unreachable) Error() string { return e.err.Error() }

func (e *unreachable) Unwrap() error { return e.err }

// interrupted is the end of a context, with what the last try failed by.
type interrupted struct{ cause, last error }

func (e *interrupted) Error() string {
	if errors.Is(e.last, context.Canceled) || errors.Is(e.last, e.cause) {
		return e.cause.Error()
	}
	return fmt.Sprintf("%v (%v)", e.cause, e.last)
}

func (e *interrupted) Unwrap() []error { return []error{e.cause, e.last} }
