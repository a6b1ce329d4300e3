package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"github.com/google/uuid"

	"countersign/domain"
	"countersign/domain/credential"
	"countersign/domain/mplp"
	"countersign/store"
)

// fillers is how many post at the same time, for large commit groups.
const fillers = 256

// keepFilled is how long a filled database is used: its confirms expire after
// thirty days.
const keepFilled = 20 * 24 * time.Hour

// filled gives the directory of a database with n confirms, of which every tenth
// is decided. It is made when it is missing, by the product's own service and
// store; the measure of the evidence verifies it.
func (b *bench) filled(ctx context.Context, n int) (string, error) {
	schema, err := b.schema(ctx)
	if err != nil {
		return "", err
	}
	dir := filepath.Join(b.dir, fmt.Sprintf("confirms-%d-%s", n, schema))
	if made, err := os.Stat(filepath.Join(dir, "access.json")); err == nil && time.Since(made.ModTime()) < keepFilled {
		return dir, nil
	}
	old, err := filepath.Glob(filepath.Join(b.dir, fmt.Sprintf("confirms-%d-*", n)))
	for _, dir := range old { // of another schema, or too old
		err = errors.Join(err, os.RemoveAll(dir))
	}
	if err != nil {
		return "", err
	}
	unready, err := b.fresh()
	if err != nil {
		return "", err
	}
	fmt.Fprintf(os.Stderr, "filling a database with %d confirms\n", n)
	began := time.Now()
	if err := fill(ctx, filepath.Join(unready, database), n); err != nil {
		return "", fmt.Errorf("fill: %w", err)
	}
	fmt.Fprintf(os.Stderr, "filled it in %.0fs\n", time.Since(began).Seconds())
	return dir, os.Rename(unready, dir)
}

// schema names what today's databases are made by. One of another making is not
// opened.
func (b *bench) schema(ctx context.Context) (name string, err error) {
	c, shut, err := open(ctx, filepath.Join(b.template, database))
	if err != nil {
		return "", err
	}
	var all string
	err = c.QueryRowContext(ctx, "SELECT group_concat(checksum) FROM (SELECT checksum FROM schema_migrations ORDER BY number)").Scan(&all)
	sum := sha256.Sum256([]byte(all))
	return hex.EncodeToString(sum[:4]), errors.Join(err, shut())
}

// filler posts and decides without HTTP.
type filler struct {
	service         *domain.Service
	agents, decides []domain.Ref
}

// newFiller opens a service over a furnished database.
func newFiller(ctx context.Context, db domain.Store) (*filler, error) {
	limits, err := domain.DefaultLimits().Parse(lifted)
	if err != nil {
		return nil, err
	}
	f := &filler{service: domain.NewService(db, domain.Config{
		Limits: limits, Hasher: credential.NewHasher(credential.DefaultParams, 1),
	})}
	keys, err := f.service.Keys(ctx, domain.System)
	for _, k := range keys {
		ref := domain.Ref{Kind: domain.KindAgent, ID: k.ID}
		if k.MayDecide {
			f.decides = append(f.decides, ref)
		} else {
			f.agents = append(f.agents, ref)
		}
	}
	return f, err
}

func fill(ctx context.Context, path string, n int) (err error) {
	db, err := store.Open(ctx, path, store.Options{Now: time.Now})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	f, err := newFiller(ctx, db)
	if err != nil {
		return err
	}
	var next atomic.Int64
	var failed atomic.Pointer[error]
	var running sync.WaitGroup
	for range min(fillers, n) {
		running.Go(func() {
			for i := int(next.Add(1)) - 1; i < n && failed.Load() == nil; i = int(next.Add(1)) - 1 {
				if err := f.add(ctx, i); err != nil {
					failed.CompareAndSwap(nil, &err)
				}
			}
		})
	}
	running.Wait()
	if err := failed.Load(); err != nil {
		return *err
	}
	return nil
}

var (
	tools   = []string{"deploy_release", "execute_trade", "send_email", "delete_rows", "open_port", "rotate_secret", "refund_payment"}
	targets = []string{"checkout", "billing", "search", "inventory", "mail", "gateway"}
)

// add posts the i-th confirm, and decides it if it is a tenth one.
func (f *filler) add(ctx context.Context, i int) error {
	posted, err := f.posted(ctx, i)
	if err != nil || i%10 != 0 {
		return err
	}
	_, err = f.service.Decide(ctx, f.decides[i/10%len(f.decides)], posted.ID, domain.DecisionInput{
		Status: domain.Approved, ContentHash: posted.ContentHash, Reason: "Seen and agreed.",
	})
	return err
}

// post posts the i-th confirm.
func (f *filler) post(ctx context.Context, i int) error {
	_, err := f.posted(ctx, i)
	return err
}

func (f *filler) posted(ctx context.Context, i int) (*domain.Confirm, error) {
	random := rand.New(rand.NewPCG(1, uint64(i)))
	tool, target := tools[random.IntN(len(tools))], targets[random.IntN(len(targets))]
	id, err := uuid.NewV7() // of those that agents make, the kind that databases like
	if err != nil {
		return nil, err
	}
	text := fmt.Sprintf(`{"confirm_id":%q,"target_type":"other","timeout":%d,"reason":"Step %d of tonight's run needs %s on %s.","actions":[{"name":%q,"args":{"target":%q,"amount":%d,"token":"%x"}}]}`,
		id, domain.MaxTimeout-random.IntN(86_400), i, tool, target, tool, target, random.IntN(10_000), random.Uint64())
	in, err := mplp.ParseConfirm([]byte(text), f.service.Limits().Wire())
	if err != nil {
		return nil, err
	}
	done, err := f.service.PostConfirm(ctx, f.agents[i%len(f.agents)], in)
	if err != nil {
		return nil, err
	}
	return done.Confirm, nil
}
