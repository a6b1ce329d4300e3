package domain

import (
	"context"
	"fmt"
	"net/netip"
	"time"
)

// LoginThrottle counts failed attempts to give a password: under one name, from one
// address, or to change one's own. It is not covered by the log.
type LoginThrottle struct {
	Failures int
	SeenAt   time.Time // the last one
}

// ThrottleReader reads throttles.
type ThrottleReader interface {
	Throttle(subject string) (LoginThrottle, error) // zero when there is none; case folded
}

// ThrottleWriter writes throttles. They are not logged.
type ThrottleWriter interface {
	SetThrottle(subject string, t LoginThrottle) error // the zero LoginThrottle deletes
	PruneThrottles(seenBefore time.Time) error
}

// throttleLifetime is how long after the last attempt all are forgotten.
const throttleLifetime = time.Hour

// attemptPolicy says how many attempts are free. Each further one doubles the time
// until the next is allowed, up to longest.
type attemptPolicy struct {
	free    int
	longest time.Duration
}

// Names wait less long than addresses: whoever fails in another user's name locks that
// user out for as long. Many people may share an address. Password changes come from a
// user's session and wait as names do.
var (
	namePolicy    = attemptPolicy{free: 5, longest: time.Minute}
	addressPolicy = attemptPolicy{free: 20, longest: 15 * time.Minute}
)

// wait returns how long after the last attempt the next is allowed.
func (a attemptPolicy) wait(failures int) time.Duration {
	over := failures - a.free
	if over < 0 {
		return 0
	}
	return min(time.Second<<min(over, 20), a.longest)
}

// remainingWait returns how long until the next attempt is allowed. A wait above
// longest means that the clock was ahead at the last attempt, and is ignored.
func (a attemptPolicy) remainingWait(t LoginThrottle, now time.Time) time.Duration {
	wait := a.wait(t.Failures)
	left := t.SeenAt.Add(wait).Sub(now)
	if wait == 0 || left > a.longest {
		return 0
	}
	return left
}

// attempt is one attempt to sign in.
type attempt struct{ name, address string }

// policies returns the subjects that the attempt counts against.
func (a attempt) policies() map[string]attemptPolicy {
	return map[string]attemptPolicy{
		"name " + a.name:                      namePolicy,
		"address " + clientNetwork(a.address): addressPolicy,
	}
}

// clientNetwork returns the part of an address that identifies a client: of IPv6 the
// upper half, as clients choose the lower one.
func clientNetwork(address string) string {
	ip, err := netip.ParseAddr(address)
	if err != nil {
		return address
	}
	ip = ip.Unmap().WithZone("")
	if ip.Is4() {
		return ip.String()
	}
	half, _ := ip.Prefix(64) // valid for every IPv6 address
	return half.String()
}

// countAttempt counts an attempt as failed before its password is checked, so that many
// at once are no better than one after the other. It refuses, and counts nothing, while
// a wait is left. Names without an account count like the others.
func (s *Service) countAttempt(ctx context.Context, counts map[string]attemptPolicy) error {
	return s.store.Tx(ctx, func(tx Tx) error {
		now := s.clock()
		if err := tx.PruneThrottles(now.Add(-throttleLifetime)); err != nil {
			return err
		}
		counted := map[string]LoginThrottle{}
		var wait time.Duration
		for subject, allowed := range counts {
			t, err := tx.Throttle(subject)
			if err != nil {
				return err
			}
			wait = max(wait, allowed.remainingWait(t, now))
			counted[subject] = LoginThrottle{Failures: t.Failures + 1, SeenAt: now}
		}
		if wait > 0 {
			return errTooManyAttempts(wait)
		}
		for subject, t := range counted {
			if err := tx.SetThrottle(subject, t); err != nil {
				return err
			}
		}
		return nil
	})
}

// errTooManyAttempts is the same for every name.
func errTooManyAttempts(wait time.Duration) *Error {
	seconds := int((wait + time.Second - 1) / time.Second)
	return &Error{Code: CodeRateLimited, RetryAfter: time.Duration(seconds) * time.Second,
		Message: fmt.Sprintf("Too many attempts. Try again in %d s.", seconds)}
}

// forgetAttempts clears the failures under the name after a success, and uncounts this
// attempt for its address. Earlier failures of the address stay: one's own account must
// not be a way to try others without end.
func (s *Service) forgetAttempts(tx Tx, a attempt) error {
	if err := tx.SetThrottle("name "+a.name, LoginThrottle{}); err != nil {
		return err
	}
	subject := "address " + clientNetwork(a.address)
	t, err := tx.Throttle(subject)
	if err != nil || t.Failures == 0 {
		return err
	}
	t.Failures--
	return tx.SetThrottle(subject, t)
}
