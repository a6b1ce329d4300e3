package main

import (
	"context"
	"path/filepath"
	"time"

	"countersign/cmd/bench/load"
)

func measureWaiting(ctx context.Context, r *round) {
	dir := r.fresh()
	var posted *load.Result
	r.on(ctx, dir, func(s *server) {
		posted = must(load.Run(ctx, 32, load.Window{Steps: int64(r.size.waiting)}, s.create()))
	})
	// A new process holds nothing of what was posted.
	r.on(ctx, dir, func(s *server) {
		time.Sleep(r.size.rest)
		before := must(s.process().ProcSMapsRollup()).Anonymous
		var requests [][]byte
		for _, c := range posted.Confirms {
			requests = append(requests, c.Wait(s.Agents[0]))
		}
		hold, release := context.WithCancel(ctx)
		defer release()
		checkWaiting := must(load.Hold(hold, s.address, requests))
		time.Sleep(r.size.rest)
		after := must(s.process().ProcSMapsRollup()).Anonymous // without mapped files
		r.set("memory for each waiting agent", "KiB", (float64(after)-float64(before))/1024/float64(len(requests)))
		r.setTimes("decision sent to agent awake, 16 clients beside the waiting", must(load.Run(ctx, 16, r.size.window, s.trip)), load.Woken)
		check(checkWaiting())
		release()
		time.Sleep(r.size.rest)
		r.setTimes("decision sent to agent awake, 16 clients and none waiting", must(load.Run(ctx, 16, r.size.window, s.trip)), load.Woken)
	})
	r.verify(ctx, dir, filepath.Join(dir, database))
}
