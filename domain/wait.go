package domain

import (
	"context"
	"fmt"
	"runtime/debug"
	"time"
)

// Change is what somebody waits for whose answer is not the last word: a wait
// costs neither a query nor a timer until it comes.
type Change struct {
	topic string
	Due   time.Time // when it comes by itself, the deadline of a confirm; zero: it does not
}

// wait looks, and looks again whenever a topic is told, until there is no change
// to wait for or the wait (at most MaxWait) is over. A look is given the outcome
// that was told, if it was nothing else. The error is nil when the server stops.
// A look does not run on the stack of the caller, which waits.
func (s *Service) wait(ctx context.Context, ref Ref, topic string, wait time.Duration, look func(told *Outcome) (*Change, error)) error {
	// Listening begins before looking, or a decision in between would be missed.
	woken := newSignal()
	stop, err := s.listen(ctx, ref, topic, woken.give)
	if err != nil {
		return err
	}
	defer stop()
	timer := time.NewTimer(min(wait, MaxWait))
	defer timer.Stop()
	var told *Outcome
	for {
		var change *Change
		err := apart(func() (err error) {
			change, err = look(told)
			return err
		})
		if err != nil || change == nil {
			return err
		}
		var due <-chan time.Time
		if !change.Due.IsZero() {
			due = time.After(max(change.Due.Sub(s.clock()), time.Millisecond))
		}
		told = nil
		select {
		case o := <-woken:
			told = woken.only(o)
		case <-due:
		case <-timer.C:
			return nil
		case <-s.feed.Done():
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// apart runs fn in a goroutine of its own. Reading the database makes a stack deep,
// and it stays as large: whoever waits afterwards, in their thousands, is not to
// keep it. A panic goes on in the caller, with the stack it came from.
func apart(fn func() error) (err error) {
	var fault any
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer func() {
			if v := recover(); v != nil {
				fault = fmt.Sprintf("%v\n%s", v, debug.Stack())
			}
		}()
		err = fn()
	}()
	<-done
	if fault != nil {
		panic(fault)
	}
	return err
}

// signal holds the outcome that was told, or nil, and that more was told.
type signal chan *Outcome

func newSignal() signal { return make(signal, 2) }

func (s signal) give(o *Outcome) {
	select {
	case s <- o:
	default: // more was told already
	}
}

// only is the outcome that was taken, nil if more was told: it may be that the
// right to hear of it has ended.
func (s signal) only(taken *Outcome) *Outcome {
	select {
	case <-s:
		return nil
	default:
		return taken
	}
}
