package main

import (
	"context"
	"fmt"
	"net/http"

	"countersign/cmd/bench/load"
)

// noops measures the no-op server, and the product's own router, where it
// answers without its store.
func noops(ctx context.Context, r *round) error {
	p, err := start(ctx, r.work, r.self, "ground")
	if err != nil {
		return err
	}
	defer p.kill()
	address, err := p.line(listening)
	if err != nil {
		return err
	}
	for _, n := range r.size.clients {
		done, err := r.repeat(ctx, n, http.StatusCreated, load.Job{Address: address, Requests: [][]byte{load.Post(address, "/noop", confirmBody)}})
		if err != nil {
			return err
		}
		r.rate("no-op POST", n, done)
	}
	done, err := r.repeat(ctx, 16, http.StatusOK, load.Job{Address: address, Requests: [][]byte{load.Get(address, "/hello")}})
	if err != nil {
		return err
	}
	r.rate("no-op page", 16, done)
	if err := p.stop(); err != nil {
		return err
	}
	return r.with(ctx, func(p *product) error {
		done, err := r.repeat(ctx, 16, http.StatusOK, load.Job{Address: p.address, Requests: [][]byte{load.Get(p.address, "/healthz")}})
		if err != nil {
			return err
		}
		r.rate("router of the product", 16, done)
		return nil
	})
}

// create measures how fast confirms are posted.
func create(ctx context.Context, r *round) error {
	for _, n := range r.size.clients {
		err := r.with(ctx, func(p *product) error {
			done, err := r.repeat(ctx, n, http.StatusCreated, p.posting())
			if err != nil {
				return err
			}
			r.set("read back, create, "+crew(n), "", float64(done.Read))
			r.rate("create", n, done)
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// posting is a job that posts confirms and reads them back.
func (p *product) posting() load.Job {
	j := load.Job{Address: p.address, Want: http.StatusCreated, Reader: p.Agents[0]}
	for _, key := range p.Agents {
		j.Requests = append(j.Requests, load.Post(p.address, "/api/v1/confirms", confirmBody, load.Bearer(key)))
	}
	return j
}

// repeat runs a Repeat for a window of this benchmark.
func (r *round) repeat(ctx context.Context, clients, want int, j load.Job) (*load.Result, error) {
	j.Kind, j.Clients, j.Want, j.Warm, j.Window = load.Repeat, clients, want, r.size.warm, r.size.window
	return r.load(ctx, j)
}

// rate notes how often and how fast something was done by n clients.
func (r *round) rate(name string, n int, done *load.Result) {
	who := crew(n)
	if !r.enough(name+", "+who, done) {
		return
	}
	r.set(name+", "+who, "1/s", done.Rate())
	r.duration(name+" p50, "+who, done.Latency.P50)
	r.duration(name+" p99, "+who, done.Latency.P99)
}

// enough says whether a window is long enough to tell anything, and notes when
// it is shorter than performance.md wants.
func (r *round) enough(name string, done *load.Result) bool {
	const perWindow = 20
	if done.Latency.N == 0 || done.Took < perWindow*done.Latency.P50 {
		fmt.Fprintf(r.say, "- %s: the window of %v is shorter than %d of the p50 %v\n", name, done.Took, perWindow, done.Latency.P50)
	}
	return done.Latency.N > 0
}

func crew(n int) string {
	if n == 1 {
		return "1 client"
	}
	return fmt.Sprint(n, " clients")
}
