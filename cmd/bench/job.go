package main

import (
	"context"
	"encoding/json"
	"fmt"

	"countersign/cmd/bench/load"
)

// load runs a job in a process of its own.
func (b *bench) load(ctx context.Context, j load.Job) (*load.Result, error) {
	p, err := b.begin(ctx, j)
	if err != nil {
		return nil, err
	}
	defer p.kill()
	return p.result()
}

// begin starts a job.
func (b *bench) begin(ctx context.Context, j load.Job) (*process, error) {
	p, err := start(ctx, b.work, b.self, "load")
	if err != nil {
		return nil, err
	}
	if err := json.NewEncoder(p.stdin).Encode(j); err != nil {
		p.kill()
		return nil, p.failed(err)
	}
	return p, nil
}

// result waits for a job's.
func (p *process) result() (r *load.Result, err error) {
	if err := json.NewDecoder(p.stdout).Decode(&r); err != nil {
		return nil, p.failed(err)
	}
	return r, p.wait()
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
