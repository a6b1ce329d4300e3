package main

import (
	"context"
	"time"
)

// measure is something that is measured once in a round.
type measure struct {
	name, about string
	rounds      int // the first of them that it takes part in; 0: in all
	run         func(ctx context.Context, r *round) error
}

// measures are all of them.
func measures() []measure {
	return []measure{
		{name: "disk", about: "one fdatasync; raw commits with the product's driver and settings", run: disk},
		{name: "noop", about: "a no-op POST of the same body, and a no-op page", run: noops},
		{name: "create", about: "posting confirms: 1, 16 and 128 clients", run: create},
		{name: "trip", about: "create, wait, decide, awake: 1, 16 and 128 clients", run: trip},
		{name: "inbox", about: "the inbox page at many confirms and at few", run: inbox},
		{name: "mixed", about: "the inbox page while 16 clients create", run: mixed},
	}
}

// round is one round of the benchmark.
type round struct {
	*bench
	number int
}

// set notes a value of this round.
func (r *round) set(name, unit string, value float64) { r.figures.set(r.number, name, unit, value) }

func (r *round) duration(name string, d time.Duration) {
	r.set(name, "ms", float64(d)/float64(time.Millisecond))
}
