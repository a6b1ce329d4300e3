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
		{name: "noop", about: "a no-op POST of the same body, a no-op page, and posting to the own router without a store", run: noops},
		{name: "create", about: "posting confirms: 1, 16 and 128 clients", run: create},
		{name: "trip", about: "create, wait, decide, awake: 1, 16 and 128 clients", run: trip},
		{name: "inbox", about: "the inbox page at many confirms and at few", run: inbox},
		{name: "mixed", about: "the inbox page while 16 clients create", run: mixed},
		{name: "polling", about: "agents that wait by long polls: memory, idleness, and what they cost others", rounds: 3, run: polling},
		{name: "streaming", about: "the same by streams", rounds: 2, run: streaming},
		{name: "plans", about: "the page of a large plan", rounds: 3, run: plans},
		{name: "evidence", about: "verifying a large log, one proof, bytes of an entry", rounds: 1, run: proving},
		{name: "room", about: "bytes of a decided confirm beyond its content", rounds: 1, run: room},
		{name: "ready", about: "start to ready and idle memory", run: ready},
		{name: "groups", about: "group commit against one commit each, and FULL against NORMAL", rounds: 3, run: groups},
		{name: "durable", about: "how often the disk is waited for", rounds: 1, run: durable},
		{name: "decisions", about: "1,000 decisions at once, and a minute of them (R12)", rounds: 1, run: decisions},
		{name: "paced", about: "200 decisions a second for half a minute: the slowest commit while the journal is folded", rounds: 1, run: paced},
		{name: "nodes", about: "two servers on PostgreSQL against one", rounds: 3, run: nodes},
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
