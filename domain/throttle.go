package domain

import (
	"context"
	"fmt"
	"net/netip"
	"time"
)

// Throttle counts the attempts to give a password that have not succeeded: under
// one name, from one address, or to change one's own. It is kept in a table that the log does not cover.
type Throttle struct {
	Failures int
	SeenAt   time.Time // the last one
}

// forgetThrottle is how long after the last attempt all are forgotten.
const forgetThrottle = time.Hour

// allowance is how many attempts are free. Each further one doubles the time
// until the next may be made, up to the longest.
type allowance struct {
	free    int
	longest time.Duration
}

// Names wait less long than addresses: whoever fails in somebody's name locks
// them out for as long. Many people may share an address. Who tries to change a
// password has come to its user's session, and waits as names do.
var (
	nameAllowance    = allowance{free: 5, longest: time.Minute}
	addressAllowance = allowance{free: 20, longest: 15 * time.Minute}
)

// wait is how long after the last attempt the next may be made.
func (a allowance) wait(failures int) time.Duration {
	over := failures - a.free
	if over < 0 {
		return 0
	}
	return min(time.Second<<min(over, 20), a.longest)
}

// left is how long it is until the next attempt may be made. More than the
// longest wait is left only when the clock was ahead at the last one: nobody
// waits for it to come there again.
func (a allowance) left(t Throttle, now time.Time) time.Duration {
	wait := a.wait(t.Failures)
	left := t.SeenAt.Add(wait).Sub(now)
	if wait == 0 || left > a.longest {
		return 0
	}
	return left
}

// attempt is one try to sign in.
type attempt struct{ name, address string }

// counts lists what the attempt counts against.
func (a attempt) counts() map[string]allowance {
	return map[string]allowance{
		"name " + a.name:                nameAllowance,
		"address " + network(a.address): addressAllowance,
	}
}

// network is the address whose owner is one client: of IPv6 the upper half,
// because the lower is theirs to choose.
func network(address string) string {
	ip, err := netip.ParseAddr(address)
	if err != nil {
		return address
	}
	ip = ip.Unmap().WithZone("")
	if ip.Is4() {
		return ip.String()
	}
	half, _ := ip.Prefix(64) // 64 is a length that every such address has
	return half.String()
}

// begin counts an attempt as failed before its password is looked at, so that
// many at once are as few as one after the other; or refuses it, counting
// nothing. Names without an account are counted like the others.
func (s *Service) begin(ctx context.Context, counts map[string]allowance) error {
	return s.store.Tx(ctx, func(tx Tx) error {
		now := s.clock()
		if err := tx.PruneThrottles(now.Add(-forgetThrottle)); err != nil {
			return err
		}
		counted := map[string]Throttle{}
		var wait time.Duration
		for subject, allowed := range counts {
			t, err := tx.Throttle(subject)
			if err != nil {
				return err
			}
			wait = max(wait, allowed.left(t, now))
			counted[subject] = Throttle{Failures: t.Failures + 1, SeenAt: now}
		}
		if wait > 0 {
			return held(wait)
		}
		for subject, t := range counted {
			if err := tx.SetThrottle(subject, t); err != nil {
				return err
			}
		}
		return nil
	})
}

// held refuses an attempt in words that are the same for every name.
func held(wait time.Duration) *Error {
	seconds := int((wait + time.Second - 1) / time.Second)
	return &Error{Code: CodeRateLimited, RetryAfter: time.Duration(seconds) * time.Second,
		Message: fmt.Sprintf("Too many attempts. Try again in %d s.", seconds)}
}

// succeeded forgets what failed under the name, and takes back what the attempt
// counted against its address. The failures before it stay: an account of one's
// own must not be a way to try others without end.
func (s *Service) succeeded(tx Tx, a attempt) error {
	if err := tx.SetThrottle("name "+a.name, Throttle{}); err != nil {
		return err
	}
	subject := "address " + network(a.address)
	t, err := tx.Throttle(subject)
	if err != nil || t.Failures == 0 {
		return err
	}
	t.Failures--
	return tx.SetThrottle(subject, t)
}
