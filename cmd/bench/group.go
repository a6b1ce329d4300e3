package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"modernc.org/sqlite"

	"countersign/domain"
	"countersign/store"
)

// groups measures what group commit is worth: posting through the product's own
// service and store, without HTTP, with one transaction at a time and with as
// many as there are clients; on a disk as it is and on slower ones; and what
// waiting for the disk costs.
func groups(ctx context.Context, r *round) error {
	for _, n := range []int{16, 128} {
		for _, delay := range []time.Duration{0, time.Millisecond, 8 * time.Millisecond} {
			for _, mode := range []string{"grouped", "one by one"} {
				name := fmt.Sprintf("posts %s, %v added, %s", mode, delay, crew(n))
				if err := r.posts(ctx, name, n, delay, mode == "grouped"); err != nil {
					return err
				}
			}
		}
		relaxed.Store(true)
		err := r.posts(ctx, "posts grouped, synchronous NORMAL, "+crew(n), n, 0, true)
		relaxed.Store(false)
		if err != nil {
			return err
		}
	}
	return nil
}

// relaxed makes connections that are opened meanwhile not wait for the disk.
var relaxed atomic.Bool

func init() {
	sqlite.RegisterConnectionHook(func(c sqlite.ExecQuerierContext, _ string) error {
		if !relaxed.Load() {
			return nil
		}
		_, err := c.ExecContext(context.Background(), "PRAGMA synchronous=NORMAL", nil)
		return err
	})
}

// alone lets a store have one transaction at a time, which then commits by
// itself.
type alone struct {
	domain.Store
	turn sync.Mutex
}

func (a *alone) Tx(ctx context.Context, fn func(domain.Tx) error) error {
	a.turn.Lock()
	defer a.turn.Unlock()
	return a.Store.Tx(ctx, fn)
}

// posts notes how many confirms n goroutines post in a second.
func (r *round) posts(ctx context.Context, name string, n int, delay time.Duration, grouped bool) (err error) {
	dir, err := r.fresh()
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	db, err := store.Open(ctx, filepath.Join(dir, database), store.Options{Now: time.Now, CommitDelay: delay})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	var behind domain.Store = db
	if !grouped {
		behind = &alone{Store: db}
	}
	f, err := newFiller(ctx, behind)
	if err != nil {
		return err
	}
	var done, failures atomic.Int64
	end := time.Now().Add(r.size.window / 2)
	began := time.Now()
	var running sync.WaitGroup
	for i := range n {
		running.Go(func() {
			for ; time.Now().Before(end); i += n {
				if f.post(ctx, i) != nil {
					failures.Add(1)
				}
				done.Add(1)
			}
		})
	}
	running.Wait()
	if failures.Load() > 0 {
		return fmt.Errorf("%d posts failed", failures.Load())
	}
	r.set(name, "1/s", float64(done.Load())/time.Since(began).Seconds())
	return nil
}
