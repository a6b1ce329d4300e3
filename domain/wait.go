package domain

import (
	"context"
	"fmt"
	"runtime/debug"
	"time"
)

// waitTopic is what may change an answer that is not final.
type waitTopic struct {
	topic string
	due   time.Time // when it changes by itself, at a deadline; zero: it does not
}

// wait calls look until it returns nil or the wait (at most MaxWait) is over: first,
// whenever the topic is notified, and at the deadline. look gets the outcome if nothing
// else was notified. The error is nil when the server stops. A wait costs neither
// queries nor ticking timers.
func (s *Service) wait(ctx context.Context, ref Ref, topic string, wait time.Duration, look func(told *Outcome) (*waitTopic, error)) error {
	// Subscribe before looking, or a decision in between would be missed.
	woken := newSignal()
	stop, err := s.subscribe(ctx, ref, topic, woken.notify)
	if err != nil {
		return err
	}
	defer stop()
	timer := time.NewTimer(min(wait, MaxWait))
	defer timer.Stop()
	var told *Outcome
	for {
		var change *waitTopic
		err := onOwnStack(func() (err error) {
			change, err = look(told)
			return err
		})
		if err != nil || change == nil {
			return err
		}
		var due <-chan time.Time
		if !change.due.IsZero() {
			due = time.After(max(change.due.Sub(s.clock()), time.Millisecond))
		}
		told = nil
		select {
		case o := <-woken:
			told = woken.latest(o)
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

// onOwnStack runs fn in a goroutine of its own and waits for it. Database calls grow
// the stack, which never shrinks while its goroutine waits: thousands of waiting
// callers must stay small. A panic continues in the caller, with its original stack.
func onOwnStack(fn func() error) (err error) {
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

// signal holds the last outcome that was notified, or nil, and whether more was.
type signal chan *Outcome

func newSignal() signal { return make(signal, 2) }

func (s signal) notify(o *Outcome) {
	select {
	case s <- o:
	default: // two are waiting already
	}
}

// latest returns the outcome that was received, nil if more was notified: the right to
// see it may have ended.
func (s signal) latest(taken *Outcome) *Outcome {
	select {
	case <-s:
		return nil
	default:
		return taken
	}
}
