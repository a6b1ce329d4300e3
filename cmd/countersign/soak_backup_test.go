package main

import (
	"fmt"
	"maps"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"countersign/domain"
)

// TestBarR8_BackupUnderLoad copies the database while it is written. Each copy
// opens, is sound, and has all that was acknowledged before it was begun. So many
// changes come with each copy at most: without a bound the database grows faster
// than it is copied and verified, and the longer that takes, the more it grows.
func TestBarR8_BackupUnderLoad(t *testing.T) {
	t.Parallel()
	b, copies := newBar(t, "R8", 3, 50)
	h := newHouse(t, tempDB(t))
	reviewer := h.user("reviewer", "reviewer")
	_, agent := h.key(domain.KeyInput{Name: "agent", Roles: []string{"executor"}})
	var mu sync.Mutex
	known := map[string]domain.Status{}
	stop := make(chan struct{})
	var writing sync.WaitGroup
	var slowest time.Duration
	filled := make(chan struct{}, 1)
	const perCopy = 400
	changes := make(chan struct{}, perCopy)
	allow := func() {
		for len(changes) < perCopy {
			changes <- struct{}{}
		}
	}
	allow()
	for range 8 {
		writing.Go(func() {
			for n := 0; ; n++ {
				select {
				case <-stop:
					return
				case <-changes:
				}
				c := h.post(agent, `{"target_type":"other","timeout":3600,"actions":[{"name":"pay","args":{"note":"`+fmt.Sprint(n)+`"}}]}`)
				mu.Lock()
				known[c.ID] = domain.Pending
				mu.Unlock()
				began := time.Now()
				_, err := h.Decide(t.Context(), reviewer, c.ID, domain.DecisionInput{Status: domain.Approved, ContentHash: c.ContentHash})
				mu.Lock()
				if err != nil {
					b.violated("decide: %v", err)
				} else {
					known[c.ID] = domain.Approved
				}
				slowest = max(slowest, time.Since(began))
				if len(known) > 200 {
					select {
					case filled <- struct{}{}:
					default:
					}
				}
				mu.Unlock()
			}
		})
	}
	<-filled
	dir := t.TempDir()
	for i := range copies {
		allow()
		mu.Lock()
		before := maps.Clone(known)
		mu.Unlock()
		file := filepath.Join(dir, fmt.Sprintf("copy-%d.db", i))
		if err := h.db.Backup(t.Context(), file); err != nil {
			b.violated("backup: %v", err)
			continue
		}
		sound(b, file)
		copyFile(t, h.file+".key", file+".key")
		opened(t, file, func(copied *house) {
			for id, want := range before {
				o, err := copied.Outcome(t.Context(), domain.System, id, 0)
				if err != nil || want != domain.Pending && o.Confirm.Status != want {
					b.violated("copy %d lacks %s, %s before it was begun (%v)", i, id, want, err)
				}
			}
			for _, difference := range differences(t, copied.db) {
				b.violated("copy %d: log and tables: %s", i, difference)
			}
		})
		b.n.Add(1)
	}
	close(stop)
	writing.Wait()
	b.figure("acknowledged", len(known))
	b.figure("slowest_decision_ms", slowest.Milliseconds())
}
