package domain_test

import (
	"testing"
	"testing/synctest"
	"time"

	"countersign/domain"
)

// TestListen_IsCalledBack by all that may change an answer, and by nothing else.
func TestListen_IsCalledBack(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		do   func(w *world, c, other *domain.Confirm) error
		want bool
	}{
		{"the decision", func(w *world, c, _ *domain.Confirm) error {
			w.mustDecide(w.user("reviewer", "reviewer"), c, domain.Approved)
			return nil
		}, true},
		{"another's decision", func(w *world, _, other *domain.Confirm) error {
			w.mustDecide(w.user("reviewer", "reviewer"), other, domain.Approved)
			return nil
		}, false},
		{"the end of the key", func(w *world, _, _ *domain.Confirm) error { return w.RevokeKey(w.ctx, domain.System, "one") }, true},
		{"the end of another key", func(w *world, _, _ *domain.Confirm) error { return w.RevokeKey(w.ctx, domain.System, "two") }, false},
		{"the end of the server", func(w *world, _, _ *domain.Confirm) error { w.Feed().Close(); return nil }, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t, func(c *domain.Config) { c.Now = time.Now })
				one := w.key("one", "executor", "planner")
				w.key("two", "executor", "planner")
				c, other := w.post(one, toolCall), w.post(one, toolCall)
				pending, err := w.Outcome(w.ctx, one, c.ID, 0)
				if err != nil {
					t.Fatal(err)
				}
				calls, after := 0, 0
				stop, err := w.Listen(w.ctx, one, pending.Awaits(), func() { calls++ })
				if err != nil {
					t.Fatal(err)
				}
				deaf, err := w.Listen(w.ctx, one, pending.Awaits(), func() { after++ })
				if err != nil {
					t.Fatal(err)
				}
				deaf()
				if err := tt.do(w, c, other); err != nil {
					t.Fatal(err)
				}
				synctest.Wait()
				stop()
				if (calls > 0) != tt.want {
					t.Errorf("%d calls", calls)
				}
				if after > 0 {
					t.Errorf("%d calls after it stopped listening", after)
				}
			})
		})
	}
}

// TestListen_AfterTheEnd calls back at once, so that nobody waits for what does
// not come any more.
func TestListen_AfterTheEnd(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	one := w.key("one", "executor", "planner")
	pending, err := w.Outcome(w.ctx, one, w.post(one, toolCall).ID, 0)
	if err != nil {
		t.Fatal(err)
	}
	w.Feed().Close()
	calls := 0
	stop, err := w.Listen(w.ctx, one, pending.Awaits(), func() { calls++ })
	if err != nil {
		t.Fatal(err)
	}
	stop()
	if calls != 1 {
		t.Errorf("%d calls", calls)
	}
}
