package main

import (
	"context"

	"countersign/cmd/bench/load"
)

// trip measures whole round trips: an agent creates a confirm and waits, it is
// decided, the agent is awake.
func trip(ctx context.Context, r *round) error {
	for _, n := range r.size.clients {
		err := r.with(ctx, func(p *product) error { return r.travel(ctx, p, n, "") })
		if err != nil {
			return err
		}
	}
	return nil
}

// travel notes the round trips of n clients. While says what else goes on.
func (r *round) travel(ctx context.Context, p *product, n int, while string) error {
	done, err := r.load(ctx, p.travelling(load.Trip, n, r.size))
	if err != nil {
		return err
	}
	who := crew(n) + while
	r.set("read back, round trip, "+who, "", float64(done.Read))
	if !r.enough("round trip, "+who, done) {
		return nil
	}
	r.set("round trip, "+who, "1/s", done.Rate())
	r.duration("round trip p50, "+who, done.Latency.P50)
	r.duration("round trip p99, "+who, done.Latency.P99)
	r.duration("awake p50, "+who, done.Awake.P50)
	r.duration("awake p99, "+who, done.Awake.P99)
	r.duration("decision sent to agent awake p50, "+who, done.Woken.P50)
	return nil
}

// travelling is a job of clients who ask and decide.
func (p *product) travelling(kind load.Kind, clients int, s size) load.Job {
	return load.Job{Kind: kind, Address: p.address, Clients: clients, Warm: s.warm, Window: s.window, Body: confirmBody, Agents: p.Agents, Deciders: p.Deciders}
}
