package main

import (
	"context"
	"time"

	"countersign/cmd/bench/load"
)

func measureDecisions(ctx context.Context, r *round) {
	r.onFresh(ctx, func(s *server) []load.Confirm {
		together := r.decideAtOnce(ctx, s)
		r.setTimes("decisions at one moment", together, load.Decided)
		result := must(load.Run(ctx, 128, load.Window{Warm: r.size.window.Warm, Length: r.size.minute}, s.trip))
		r.set("decisions for a minute", "1/s", result.Rate())
		r.setTimes("decisions for a minute", result, load.Decided)
		return append(together.Confirms, result.Confirms...)
	})
}

// decideAtOnce has many agents wait and then all of them decided, five times.
func (r *round) decideAtOnce(ctx context.Context, s *server) *load.Result {
	ctx, hangUp := context.WithCancel(ctx)
	defer hangUp()
	agents, result := make([]*load.Agent, r.size.burst), load.NewResult(0)
	for i := range agents {
		agents[i] = s.agent(i)
	}
	for range 5 {
		check(load.Together(ctx, len(agents), func(_ context.Context, i int) error { return agents[i].Ask(ctx) }))
		time.Sleep(r.size.window.Warm) // the last of them do not wait yet
		check(load.Together(ctx, len(agents), func(_ context.Context, i int) error { return agents[i].Decide(ctx, result) }))
	}
	return result
}
