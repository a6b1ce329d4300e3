package main

import (
	"context"

	"countersign/cmd/bench/load"
)

// decisions measures security's R12: a thousand decisions at the same moment,
// and a minute of them.
func decisions(ctx context.Context, r *round) error {
	return r.with(ctx, func(p *product) error {
		at := p.travelling(load.Burst, r.size.burst, r.size)
		at.Times = 5
		done, err := r.load(ctx, at)
		if err != nil {
			return err
		}
		r.duration("decisions at the same moment p50", done.Decide.P50)
		r.duration("decisions at the same moment p99", done.Decide.P99)
		r.duration("awake after decisions at the same moment p99", done.Awake.P99)
		steady := p.travelling(load.Trip, 128, r.size)
		steady.Window = r.size.sustain
		if done, err = r.load(ctx, steady); err != nil {
			return err
		}
		r.set("decisions sustained", "1/s", done.Rate())
		r.duration("decisions sustained p99", done.Decide.P99)
		r.duration("awake, decisions sustained p99", done.Awake.P99)
		return nil
	})
}
