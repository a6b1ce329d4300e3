package domain_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"countersign/domain"
)

// listener hears what is followed until ctx ends.
type listener[T any] struct {
	ctx   context.Context
	send  func(T) error
	woken chan struct{}
}

func listening[T any](ctx context.Context, send func(T) error) *listener[T] {
	return &listener[T]{ctx, send, make(chan struct{}, 1)}
}

func (l *listener[T]) Send(v T) error { return l.send(v) }
func (l *listener[T]) Ping() error    { return nil }

func (l *listener[T]) Wake() {
	select {
	case l.woken <- struct{}{}:
	default:
	}
}

func (l *listener[T]) Wait(until time.Time) error {
	select {
	case <-l.woken:
	case <-time.After(time.Until(until)):
	case <-l.ctx.Done():
		return l.ctx.Err()
	}
	return nil
}

// A stream hears of its own session among many others, and of nothing else.
func TestFollowSession_HearsOfItsOwn(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	agent := w.key("bot", "planner", w.role("asker", "confirm.request"))
	ask := func(session string) *domain.Confirm {
		return w.post(agent, fmt.Sprintf(`{"target_type":"other","session_id":%q,"actions":[{"name":"run","args":{}}]}`, session))
	}
	waiting := ask("own")
	ctx, leave := context.WithCancel(w.ctx)
	defer leave()
	frames, ended := make(chan domain.Frame, 100), make(chan error, 1)
	go func() {
		ended <- w.FollowSession(ctx, agent, "own", nil, listening(ctx, func(f domain.Frame) error {
			frames <- f
			return nil
		}))
	}()
	heard := func() int64 { return (<-frames).Cursor.Seq }
	want, got := []int64{waiting.RequestedSeq}, []int64{heard()}
	for range 3 {
		for i := range 5 {
			ask(fmt.Sprint("other-", i))
		}
		own := ask("own")
		want = append(want, own.RequestedSeq)
		for {
			if seq := heard(); seq != got[len(got)-1] {
				got = append(got, seq)
				break
			}
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("heard of (-want +got):\n%s", diff)
	}
	leave()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("it ended with %v", err)
	}
}
