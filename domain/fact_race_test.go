package domain_test

import (
	"context"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"countersign/domain"
)

// lateStore is a store in which something happens between reading and writing.
type lateStore struct {
	domain.Store
	before func()
}

func (s lateStore) Tx(ctx context.Context, fn func(domain.Tx) error) error {
	s.before()
	return s.Store.Tx(ctx, fn)
}

// What was read is not written after another process has folded it, or has forgotten
// what it came from.
func TestFacts_KeepNothingThatIsOutOfDate(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		isFolded  bool // up to the last decision
		meanwhile func(*world)
	}{
		"folded, from the beginning":    {false, (*world).fold},
		"folded":                        {true, (*world).fold},
		"forgotten, from the beginning": {false, func(w *world) { w.forget() }},
		"forgotten":                     {true, func(w *world) { w.forget() }},
		"forgotten, and folded":         {true, func(w *world) { w.forget(); w.fold() }},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			agent, reviewer := w.key("bot", "executor"), w.user("rea", "reviewer")
			w.mustDecide(reviewer, w.payment(agent, "old", elsewhere, ""), domain.Approved)
			w.pass(time.Hour)
			if tt.isFolded {
				w.fold()
			}
			w.mustDecide(reviewer, w.payment(agent, "late", toAcme, ""), domain.Approved)
			var left []string
			late := domain.NewService(lateStore{w.db, func() { tt.meanwhile(w); left = w.factRows() }}, domain.Config{Now: w.now})
			if more, err := late.FoldFacts(w.ctx); !more || err != nil {
				t.Errorf("more: %v, %v", more, err)
			}
			if diff := cmp.Diff(left, w.factRows()); diff != "" {
				t.Errorf("(-before +after):\n%s", diff)
			}
		})
	}
}

// forget forgets the contents of more than a minute ago.
func (w *world) forget() {
	w.t.Helper()
	if n, err := w.Prune(w.ctx, time.Minute); n != 1 || err != nil {
		w.t.Fatalf("forgot %d, %v", n, err)
	}
}
