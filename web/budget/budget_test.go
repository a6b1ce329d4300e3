package budget_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"countersign/domain"
	"countersign/web/budget"
)

// TestN10_BytesAreBounded for each and in all. Who gets none waits, for a while.
func TestN10_BytesAreBounded(t *testing.T) {
	t.Parallel()
	one, two, three := domain.Ref{ID: "one"}, domain.Ref{ID: "two"}, domain.Ref{ID: "three"}
	synctest.Test(t, func(t *testing.T) {
		b := budget.New(2, 3)
		take := func(by domain.Ref, bytes int64) func() {
			t.Helper()
			release, err := b.Take(t.Context(), by, bytes)
			if err != nil {
				t.Fatal(err)
			}
			return release
		}
		refused := func(by domain.Ref, bytes int64) {
			t.Helper()
			began := time.Now()
			_, err := b.Take(t.Context(), by, bytes)
			if e := domain.AsError(err); e.Code != domain.CodeRateLimited || e.RetryAfter <= 0 {
				t.Errorf("refused with %v", err)
			}
			if time.Since(began) == 0 {
				t.Error("it did not wait")
			}
		}
		first := take(one, 2)
		refused(one, 1)
		second := take(two, 1)
		refused(three, 1)
		refused(two, 1) // and keeps nothing of its own
		time.AfterFunc(time.Second, first)
		took := time.Now()
		third := take(three, 2)
		if time.Since(took) != time.Second {
			t.Errorf("it waited %v", time.Since(took))
		}
		second()
		third()
		take(two, 2)()
		gone, leave := context.WithCancel(t.Context())
		defer take(one, 2)()
		leave()
		if _, err := b.Take(gone, one, 1); err == nil {
			t.Error("who has left gets some")
		}
	})
}
