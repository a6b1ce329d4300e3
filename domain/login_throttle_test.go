package domain_test

import (
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"countersign/domain"
)

// tries signs in with a wrong password and gives how long to wait for the next.
func (w *world) tries(name, address string) time.Duration {
	w.t.Helper()
	_, _, err := w.SignIn(w.ctx, name, "wrong", domain.Client{Address: address})
	switch domain.ErrorCode(err) {
	case domain.CodeUnauthenticated:
		return 0
	case domain.CodeRateLimited:
		return domain.AsError(err).RetryAfter
	}
	w.t.Fatalf("%s from %s: %v", name, address, err)
	return 0
}

// until makes n attempts, each as soon as it may be, and gives the waits before
// them.
func (w *world) until(n int, name, address string) (waits []time.Duration) {
	w.t.Helper()
	for range n {
		wait := w.tries(name, address)
		if wait > 0 {
			w.pass(wait - time.Millisecond)
			if again := w.tries(name, address); again != time.Second {
				w.t.Fatalf("a millisecond too early: wait %v", again)
			}
			w.pass(time.Millisecond)
			if w.tries(name, address) > 0 {
				w.t.Fatal("still refused when it was time")
			}
		}
		waits = append(waits, wait)
	}
	return waits
}

func TestThrottle_WaitsGrow(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, user string
		addresses  bool // a new one each time
		want       string
	}{
		{"one name", "someone", true, "[0s 0s 0s 0s 0s 1s 2s 4s 8s 16s 32s 1m0s 1m0s]"},
		{"a name that nobody has", "nobody", true, "[0s 0s 0s 0s 0s 1s 2s 4s 8s 16s 32s 1m0s 1m0s]"},
		{"a name in other letters", "SomeOne", true, "[0s 0s 0s 0s 0s 1s 2s 4s 8s 16s 32s 1m0s 1m0s]"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.user("someone", "reviewer")
			var waits []time.Duration
			for i := range 13 {
				waits = append(waits, w.until(1, tt.user, fmt.Sprintf("192.0.2.%d", i))...)
			}
			if got := fmt.Sprint(waits); got != tt.want {
				t.Errorf("waits %s, want %s", got, tt.want)
			}
		})
	}
}

// Who has come to somebody's session must not find out their password with it, and
// does not keep them from signing in.
func TestThrottle_OwnPasswordIsNotGuessed(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	user := w.user("someone", "reviewer")
	change := func(old string) domain.Code {
		return domain.ErrorCode(w.ChangePassword(w.ctx, user, old, "another long secret", nil))
	}
	for i := range 5 {
		if code := change("wrong"); code != domain.CodeInvalid {
			t.Fatalf("attempt %d: %s", i, code)
		}
	}
	if code := change(password); code != domain.CodeRateLimited {
		t.Errorf("the right one, too early: %q", code)
	}
	if wait := w.tries("someone", "192.0.2.1"); wait > 0 {
		t.Errorf("signing in waits %v", wait)
	}
	w.pass(time.Second)
	if code := change(password); code != "" {
		t.Errorf("the right one, in time: %q", code)
	}
}

// A new password that will not do is no guess of the old one.
func TestThrottle_WeakPasswordsCountForNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	user := w.user("someone", "reviewer")
	for i := range 6 {
		if code := domain.ErrorCode(w.ChangePassword(w.ctx, user, password, "short", nil)); code != domain.CodeInvalid {
			t.Fatalf("attempt %d: %s", i, code)
		}
	}
	if err := w.ChangePassword(w.ctx, user, password, "another long secret", nil); err != nil {
		t.Error(err)
	}
}

// TestT39_ThrottleAfterAClockThatWasAhead: nobody waits for a time that came by
// mistake.
func TestT39_ThrottleAfterAClockThatWasAhead(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		failed int
		back   time.Duration
		want   time.Duration
	}{
		{"one attempt, a year", 1, 365 * 24 * time.Hour, 0},
		{"one attempt, ten seconds", 1, 10 * time.Second, 0},
		{"many, a year", 7, 365 * 24 * time.Hour, 0},
		{"many, ten seconds: they pass", 7, 10 * time.Second, 14 * time.Second},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.user("someone", "reviewer")
			w.until(tt.failed, "someone", "192.0.2.1")
			w.pass(-tt.back)
			if wait := w.tries("someone", "192.0.2.1"); wait != tt.want {
				t.Errorf("wait %v, want %v", wait, tt.want)
			}
		})
	}
}

func TestThrottle_NamesAreOne(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, name := range []string{"someone", "SOMEONE", "ｓomeone", "Someone", "sOmeone"} {
		w.until(1, name, "")
	}
	if w.tries("someone", "192.0.2.1") == 0 {
		t.Error("letters of other shapes give further attempts")
	}
}

func TestThrottle_Addresses(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name    string
		address func(i int) string
		held    bool
	}{
		{"one address", func(int) string { return "192.0.2.1" }, true},
		{"a network of IPv6", func(i int) string { return fmt.Sprintf("2001:db8:0:1::%x", i+1) }, true},
		{"IPv4 in IPv6", func(i int) string { return []string{"192.0.2.1", "::ffff:192.0.2.1"}[i%2] }, true},
		{"many addresses", func(i int) string { return fmt.Sprintf("192.0.2.%d", i) }, false},
		{"networks of IPv6", func(i int) string { return fmt.Sprintf("2001:db8:0:%x::1", i) }, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			for i := range 20 {
				if w.tries(fmt.Sprint("user-", i), tt.address(i)) > 0 {
					t.Fatalf("attempt %d is refused", i)
				}
			}
			if held := w.tries("another", tt.address(20)) > 0; held != tt.held {
				t.Errorf("held back: %v, want %v", held, tt.held)
			}
		})
	}
}

func TestThrottle_SuccessResets(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.user("someone", "reviewer")
	in := func() error {
		_, _, err := w.SignIn(w.ctx, "someone", password, domain.Client{Address: "192.0.2.1"})
		return err
	}
	for range 3 {
		w.until(4, "someone", "192.0.2.1")
		if err := in(); err != nil {
			t.Fatal(err)
		}
	}
	// Twelve failures stay with the address, whoever signed in between.
	w.until(5, "someone", "192.0.2.2")
	if err := in(); domain.ErrorCode(err) != domain.CodeRateLimited {
		t.Errorf("the right password within the wait: %v", err)
	}
	w.pass(time.Second)
	if err := in(); err != nil {
		t.Errorf("the right password after it: %v", err)
	}
	for i := range 8 {
		w.until(1, fmt.Sprint("user-", i), "192.0.2.1")
	}
	if w.tries("user-9", "192.0.2.1") == 0 {
		t.Error("an account of one's own makes further attempts free")
	}
	w.pass(time.Hour + time.Minute)
	if w.tries("user-9", "192.0.2.1") > 0 {
		t.Error("old failures are never forgotten")
	}
}

// TestThrottle_ManyAtOnceAreNoMore: guesses in parallel get no further than
// guesses one after the other.
func TestThrottle_ManyAtOnceAreNoMore(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.user("someone", "reviewer")
	var guesses sync.WaitGroup
	var checked atomic.Int32
	for i := range 50 {
		guesses.Go(func() {
			_, _, err := w.SignIn(w.ctx, "someone", "wrong", domain.Client{Address: fmt.Sprintf("192.0.2.%d", i)})
			if domain.ErrorCode(err) == domain.CodeUnauthenticated {
				checked.Add(1)
			}
		})
	}
	guesses.Wait()
	if got := checked.Load(); got != 5 {
		t.Errorf("%d passwords were looked at, want 5", got)
	}
}
