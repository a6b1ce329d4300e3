package load

import (
	"context"
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"
)

// Window is how long clients run: for a time, of which the warm-up does not
// count, or a number of steps.
type Window struct {
	Warm, Length time.Duration
	Steps        int64
}

// Step is what a client repeats. It may add timings of its own to the result.
type Step func(ctx context.Context, r *Result) error

// Result is what all clients together measured and created.
type Result struct {
	Confirms []Confirm

	began, ended time.Time
	mu           sync.Mutex
	samples      map[string][]time.Duration
}

// NewResult returns an empty result, in which everything counts that ends after
// the warm-up.
func NewResult(warm time.Duration) *Result {
	return &Result{samples: map[string][]time.Duration{}, began: time.Now().Add(warm)}
}

// Whole names the time that a whole step takes.
const Whole = "whole"

// Run has each client repeat its step in a closed loop until the window ends.
func Run(ctx context.Context, clients int, w Window, step func(client int) Step) (*Result, error) {
	r, steps := NewResult(w.Warm), atomic.Int64{}
	return r, Together(ctx, clients, func(ctx context.Context, i int) error {
		do := step(i)
		for steps.Add(1) <= w.Steps || w.Steps == 0 && time.Since(r.began) < w.Length {
			began := time.Now()
			if err := do(ctx, r); err != nil {
				return err
			}
			r.Add(Whole, time.Since(began))
		}
		return nil
	})
}

// Together runs n clients at the same time. The first error ends all. At the end
// their connections are closed.
func Together(ctx context.Context, n int, client func(ctx context.Context, i int) error) error {
	group, ctx := errgroup.WithContext(ctx)
	for i := range n {
		group.Go(func() error { return client(ctx, i) })
	}
	return group.Wait()
}

// Add records how long something took that ends now.
func (r *Result) Add(name string, took time.Duration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if now := time.Now(); now.After(r.began) {
		r.samples[name], r.ended = append(r.samples[name], took), now
	}
}

// Rate returns how many steps ended in a second.
func (r *Result) Rate() float64 {
	return float64(len(r.samples[Whole])) / r.ended.Sub(r.began).Seconds()
}

// Percentile returns the milliseconds that p of a hundred do not exceed.
func (r *Result) Percentile(name string, p int) float64 {
	all := r.samples[name]
	slices.Sort(all)
	return all[(len(all)-1)*p/100].Seconds() * 1000
}

// Send makes steps that send the requests in turn. Confirms that they create are
// in the result.
func Send(address string, want int, requests ...[]byte) func(int) Step {
	sent := atomic.Int64{}
	return func(int) Step {
		c := &Client{Address: address}
		return func(ctx context.Context, r *Result) error {
			a, err := c.Do(ctx, requests[int(sent.Add(1)-1)%len(requests)], want)
			if err == nil && a.Header.Get("Location") != "" {
				r.keep(created(a))
			}
			return err
		}
	}
}

// Hold sends each request on a connection of its own, which waits until ctx
// ends. Check reports an error if one of them was answered.
func Hold(ctx context.Context, address string, requests [][]byte) (check func() error, err error) {
	clients := make([]Client, len(requests))
	for i, request := range requests {
		clients[i].Address = address
		if err := clients[i].send(ctx, request); err != nil {
			return nil, err
		}
	}
	return func() error {
		return Together(ctx, len(clients), func(_ context.Context, i int) error {
			if !clients[i].isWaiting() {
				return errors.New("an agent that should wait was answered")
			}
			return nil
		})
	}, nil
}
