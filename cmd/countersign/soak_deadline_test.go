package main

import (
	"context"
	"fmt"
	"path/filepath"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"countersign/domain"
	"countersign/store"
)

// TestBarR5_Deadlines runs days of virtual time: agents ask, reviewers decide
// before, at and after the deadline, and the clock ends what nobody decides.
// No approval comes late, and nothing is left pending once its time is over.
func TestBarR5_Deadlines(t *testing.T) {
	t.Parallel()
	b, confirms := newBar(t, "R5", 300, 100_000)
	span := time.Duration(sized(6, 30*24)) * time.Hour
	file := filepath.Join(t.TempDir(), "countersign.db") // outside of the bubble, which removes nothing
	synctest.Test(t, func(t *testing.T) {
		feed := domain.NewFeed()
		db, err := store.Open(t.Context(), file, store.Options{Now: time.Now, Committed: feed.Publish})
		if err != nil {
			t.Fatal(err)
		}
		h := &house{t: t, file: file, db: db, feed: feed}
		h.Service = domain.NewService(db, domain.Config{Feed: feed, Now: time.Now, Limits: unlimited(), Hasher: cheap()})
		if err := h.Prepare(t.Context()); err != nil {
			t.Fatal(err)
		}
		clock, stop := context.WithCancel(t.Context())
		var running, lives sync.WaitGroup
		running.Go(func() {
			if err := h.RunClock(clock); err != nil {
				t.Error(err)
			}
		})
		reviewer := h.user("reviewer", "reviewer")
		_, agent := h.key(domain.KeyInput{Name: "agent", Roles: []string{"executor"}})
		const agents = 50 // each asks for its share, one after the other
		for i := range agents {
			random := b.random(i)
			lives.Go(func() {
				for range confirms / agents {
					time.Sleep(time.Duration(random.Int64N(int64(span) * agents / int64(confirms) * 2)))
					timeout := 1 + random.IntN(600)
					c := h.post(agent, fmt.Sprintf(`{"target_type":"other","timeout":%d,"actions":[{"name":"pay","args":{}}]}`, timeout))
					early := time.Duration(random.Int64N(int64(timeout) * int64(time.Second)))
					// Before the deadline, at it, just beside it, after it, or never.
					at := []time.Duration{-early, -early, 0, -time.Microsecond, time.Microsecond, early, -1}[random.IntN(7)]
					lives.Go(func() { decideAt(b, h, reviewer, c, at) })
				}
			})
		}
		lives.Wait()
		time.Sleep(11 * time.Minute) // longer than the longest timeout
		stop()
		feed.Close()
		running.Wait()
		checkDeadlines(b, h)
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	b.figure("virtual_h", span.Hours())
}

// decideAt approves a confirm some time from its deadline (-1: never), and
// expects to win before it and to lose from then on.
func decideAt(b *bar, h *house, reviewer domain.Ref, c *domain.Confirm, from time.Duration) {
	b.n.Add(1)
	if from == -1 {
		return
	}
	time.Sleep(time.Until(c.ExpiresAt.Add(from)))
	_, err := h.Decide(context.Background(), reviewer, c.ID, domain.DecisionInput{Status: domain.Approved, ContentHash: c.ContentHash})
	switch {
	case from < 0 && err != nil:
		b.violated("approved %v before the deadline: %v", -from, err)
	case from >= 0 && domain.ErrorCode(err) != domain.CodeExpired:
		b.violated("approved %v after the deadline: %v", from, err)
	case from >= 0 && domain.AsError(err).Decision.Decision.Cause != domain.CauseTimeout:
		b.violated("who came late was not told of the timeout")
	}
}

// checkDeadlines reads the whole log: when each confirm was decided, and how.
func checkDeadlines(b *bar, h *house) {
	after, approved, timeouts := int64(-1), 0, 0
	for {
		entries, err := h.Entries(context.Background(), domain.System, domain.EntryFilter{
			After: &after, Limit: 1000, Types: []string{"confirm.approved", "confirm.rejected"}})
		if err != nil {
			b.t.Fatal(err)
		}
		if len(entries) == 0 {
			break
		}
		after = entries[len(entries)-1].Seq
		for _, e := range entries {
			o, err := h.Outcome(context.Background(), domain.System, e.ConfirmID, 0)
			if err != nil {
				b.t.Fatal(err)
			}
			late := o.Decision.DecidedAt.Sub(o.Confirm.ExpiresAt)
			switch {
			case e.Type == "confirm.approved" && late >= 0:
				b.violated("%s was approved %v after its deadline", e.ConfirmID, late)
			case e.Type == "confirm.rejected" && (o.Decision.Cause != domain.CauseTimeout || late < 0 || late > time.Minute):
				b.violated("%s was rejected (%s) %v after its deadline", e.ConfirmID, o.Decision.Cause, late)
			}
			if e.Type == "confirm.approved" {
				approved++
			} else {
				timeouts++
			}
		}
	}
	pending, err := h.Pending(context.Background(), domain.System)
	if err != nil {
		b.t.Fatal(err)
	}
	if pending.All != 0 || approved+timeouts != int(b.n.Load()) {
		b.violated("%d pending, %d approved and %d timed out of %d", pending.All, approved, timeouts, b.n.Load())
	}
	b.figure("approved", approved)
	b.figure("timeouts", timeouts)
}
