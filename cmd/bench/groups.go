package main

import (
	"context"
	"os"
	"path/filepath"
	"sync"
	"time"

	"countersign/cmd/bench/load"
	"countersign/domain"
	"countersign/store"
)

func measureGroups(ctx context.Context, r *round) {
	for _, n := range []int{16, 128} {
		for _, name := range []string{"requests stored in group commits", "requests stored with one commit each"} {
			dir := r.fresh()
			db := must(store.Open(ctx, filepath.Join(dir, database), store.Options{Now: time.Now}))
			f := newFiller(ctx, db)
			if name == "requests stored with one commit each" {
				f = newFiller(ctx, &serial{Store: db})
			}
			r.runClients(ctx, name, n, func(i int) load.Step {
				return func(ctx context.Context, _ *load.Result) error {
					i += n
					_, err := f.post(ctx, i)
					return err
				}
			})
			check(db.Close())
			check(os.RemoveAll(dir))
		}
	}
}

// serial lets a store have one transaction at a time, which then commits alone.
type serial struct {
	domain.Store
	mu sync.Mutex
}

func (s *serial) Tx(ctx context.Context, fn func(domain.Tx) error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.Store.Tx(ctx, fn)
}
