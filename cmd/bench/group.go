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
				if err := r.posts(ctx, name, n, store.Options{CommitDelay: delay}, mode == "grouped"); err != nil {
					return err
				}
			}
		}
		if err := r.posts(ctx, "posts grouped, synchronous NORMAL, "+crew(n), n, store.Options{Hasty: true}, true); err != nil {
			return err
		}
	}
	return nil
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
func (r *round) posts(ctx context.Context, name string, n int, o store.Options, grouped bool) (err error) {
	o.Now = time.Now
	dir, err := r.fresh()
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	db, err := store.Open(ctx, filepath.Join(dir, database), o)
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
