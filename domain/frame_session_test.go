package domain_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"countersign/domain"
)

// noPing is for those who do not care whether they are still heard of.
func noPing() error { return nil }

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
		ended <- w.FollowSession(ctx, agent, "own", nil, func(f domain.Frame) error {
			frames <- f
			return nil
		}, noPing)
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
