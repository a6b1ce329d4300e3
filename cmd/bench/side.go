package main

import (
	"context"
	"syscall"
	"time"

	"countersign/cmd/bench/load"
)

// side is one of the servers that are compared.
type side struct {
	name string // of its figures
	dir  string // of its database
	*server

	rate           float64 // steps a second
	spent, seconds float64 // processor time, and how long it had its turns
	confirms       []load.Confirm
}

// inTurns has clients repeat a step on each side in turns, and records how often. Whoever
// does not have the turn is stopped.
func (r *round) inTurns(ctx context.Context, sides []*side, clients int, step func(*server) func(int) load.Step) {
	const turns = 4
	for _, s := range sides {
		s.pause()
	}
	for turn := range turns {
		for i := range sides {
			if (turn+r.number)%2 == 1 { // so that none is always first
				i = len(sides) - 1 - i
			}
			s := sides[i]
			s.resume()
			began, used := time.Now(), s.processorTime()
			result := must(load.Run(ctx, clients, r.size.window, step(s.server)))
			s.spent, s.seconds = s.spent+s.processorTime()-used, s.seconds+time.Since(began).Seconds()
			s.pause()
			s.rate += result.Rate() / turns
			s.confirms = append(s.confirms, result.Confirms...)
		}
	}
	for _, s := range sides {
		r.set(s.name, "1/s", s.rate)
		r.set("processor time for each of "+s.name, "ms", 1000*s.spent/float64(len(s.confirms)))
	}
}

// readBack kills each side, and reads back what it acknowledged.
func (r *round) readBack(ctx context.Context, sides []*side) {
	for _, s := range sides {
		s.kill()
		r.readBackFrom(ctx, s.dir, s.confirms)
	}
}

// pause stops the server's process until it is resumed.
func (s *server) pause() { check(s.cmd.Process.Signal(syscall.SIGSTOP)) }

func (s *server) resume() { check(s.cmd.Process.Signal(syscall.SIGCONT)) }

// processorTime returns the seconds that the server has used.
func (s *server) processorTime() float64 { return must(s.process().Stat()).CPUTime() }
