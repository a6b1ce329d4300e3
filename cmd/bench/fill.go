package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"time"

	"github.com/google/uuid"

	"countersign/cmd/bench/load"
	"countersign/domain"
	"countersign/domain/credential"
	"countersign/domain/mplp"
	"countersign/store"
)

// filled returns the directory of a database with n requests, of which every
// tenth is decided. It is kept for later runs until its requests begin to expire,
// or cannot be migrated.
func (b *bench) filled(ctx context.Context, n int) string {
	const keep, fillers = 20 * 24 * time.Hour, 256 // for large commit groups
	dir := filepath.Join(b.dir, fmt.Sprint("filled-", n))
	if made, err := os.Stat(filepath.Join(dir, "access.json")); err == nil && time.Since(made.ModTime()) < keep {
		if db, err := store.Open(ctx, filepath.Join(dir, database), store.Options{Now: time.Now}); err == nil {
			check(db.Close())
			return dir
		}
	}
	fmt.Fprintf(os.Stderr, "filling a database with %d requests\n", n)
	fresh := b.fresh()
	db := must(store.Open(ctx, filepath.Join(fresh, database), store.Options{Now: time.Now}))
	f := newFiller(ctx, db)
	check(load.Together(ctx, fillers, func(ctx context.Context, i int) (err error) {
		for ; i < n && err == nil; i += fillers {
			err = f.add(ctx, i)
		}
		return err
	}))
	check(db.Close())
	check(os.RemoveAll(dir))
	check(os.Rename(fresh, dir))
	return dir
}

// filler posts and decides without HTTP.
type filler struct {
	service          *domain.Service
	agents, deciders []domain.Ref
}

func newFiller(ctx context.Context, db domain.Store) (f filler) {
	limits := must(domain.DefaultLimits().Parse(lifted))
	f.service = domain.NewService(db, domain.Config{Limits: limits, Hasher: credential.NewHasher(credential.DefaultParams, 1)})
	for _, k := range must(f.service.Keys(ctx, domain.System)) {
		ref := domain.Ref{Kind: domain.KindAgent, ID: k.ID}
		if k.MayDecide {
			f.deciders = append(f.deciders, ref)
		} else {
			f.agents = append(f.agents, ref)
		}
	}
	return f
}

// add posts the i-th request, and decides it if it is a tenth one.
func (f filler) add(ctx context.Context, i int) error {
	posted, err := f.post(ctx, i)
	if err != nil || i%10 != 0 {
		return err
	}
	_, err = f.service.Decide(ctx, f.deciders[i/10%len(f.deciders)], posted.Confirm.ID, domain.DecisionInput{
		Status: domain.Approved, ContentHash: posted.Confirm.ContentHash, Reason: "Seen and agreed.",
	})
	return err
}

func (f filler) post(ctx context.Context, i int) (*domain.PostedConfirm, error) {
	targets := []string{"checkout", "billing", "search", "inventory", "mail", "gateway"}
	target, random := targets[i%len(targets)], rand.New(rand.NewPCG(1, uint64(i)))
	in, err := mplp.ParseConfirm(fmt.Appendf(nil, `{"confirm_id":%q,"target_type":"other","timeout":%d,"reason":"Step %d of tonight's run needs a new release of %s.",
		"actions":[{"name":"deploy_release","args":{"target":%q,"amount":%d,"token":"%x"}}]}`,
		uuid.Must(uuid.NewV7()), domain.MaxTimeout-random.IntN(86_400), i, target, target, random.IntN(10_000), random.Uint64()), f.service.Limits().MPLP())
	if err != nil {
		return nil, err
	}
	return f.service.PostConfirm(ctx, f.agents[i%len(f.agents)], in)
}
