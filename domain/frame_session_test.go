package domain_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
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

func (w *world) followSession(ctx context.Context, ref domain.Ref, session string, after *domain.Cursor, l domain.Listener[domain.Frame]) error {
	reading, err := w.ReadSession(ctx, ref, session, after)
	if err != nil {
		return err
	}
	return w.FollowSession(ctx, ref, reading, l)
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
		ended <- w.followSession(ctx, agent, "own", nil, listening(ctx, func(f domain.Frame) error {
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

// TestB2_FramesComeInPages: a page is read once the one before was taken. They
// come in the order of the log, and what is decided meanwhile after its request.
func TestB2_FramesComeInPages(t *testing.T) {
	t.Parallel()
	for name, after := range map[string]*domain.Cursor{"all": {Seq: -1}, "what is pending": nil} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			agent, reviewer := w.key("bot", w.role("asker", "confirm.request")), w.user("reviewer", "reviewer")
			var want []domain.Cursor
			ask := func() *domain.Confirm {
				c := w.post(agent, `{"target_type":"other","session_id":"s","actions":[{"name":"run","args":{}}]}`)
				want = append(want, domain.Cursor{Seq: c.RequestedSeq}, domain.Cursor{Seq: c.RequestedSeq, N: 1})
				return c
			}
			decide := func(c *domain.Confirm) {
				seq := w.mustDecide(reviewer, c, domain.Rejected).Decision.Seq
				want = append(want, domain.Cursor{Seq: seq}, domain.Cursor{Seq: seq, N: 1}, domain.Cursor{Seq: seq, N: 2})
			}
			over := ask()
			decide(over)
			if after == nil {
				want = nil
			}
			var asked []*domain.Confirm
			for range 100 {
				asked = append(asked, ask())
			}
			ctx, leave := context.WithCancel(w.ctx)
			var heard []domain.Cursor
			err := w.followSession(ctx, agent, "s", after, listening(ctx, func(f domain.Frame) error {
				if heard = append(heard, f.Cursor); len(heard) == 1 {
					decide(asked[99])
					decide(asked[0])
					ask()
				}
				if len(heard) == len(want) {
					leave()
				}
				return nil
			}))
			if !errors.Is(err, context.Canceled) {
				t.Errorf("it ended with %v", err)
			}
			if diff := cmp.Diff(want, heard); diff != "" {
				t.Errorf("heard (-want +got):\n%s", diff)
			}
		})
	}
}

// TestB2_PageEndsWithWhatIsLarge: of large frames few are in memory at once.
func TestB2_PageEndsWithWhatIsLarge(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	agent := w.key("bot", w.role("asker", "confirm.request"))
	large := strings.Repeat("x", 100<<10)
	for range 3 {
		w.post(agent, `{"target_type":"other","session_id":"s","actions":[{"name":"run","args":{"text":"`+large+`"}}]}`)
	}
	var sizes []int
	err := domain.FramePages(w.Service, agent, "s", func(page []domain.Frame) {
		size := 0
		for _, f := range page {
			size += len(f.Data)
		}
		sizes = append(sizes, size)
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, size := range sizes {
		if size > 2*len(large) {
			t.Errorf("a page has %d bytes", size)
		}
	}
	if len(sizes) < 3 {
		t.Errorf("pages of %v bytes", sizes)
	}
}
