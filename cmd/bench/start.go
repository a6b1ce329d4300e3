package main

import (
	"context"
	"net/http"
	"time"

	"countersign/cmd/bench/load"
)

func measureStart(ctx context.Context, r *round) {
	dir := r.filled(ctx, r.size.large)
	began := time.Now()
	r.on(ctx, dir, func(s *server) {
		client := load.Client{Address: s.address}
		must(client.Do(ctx, load.Get("/readyz"), http.StatusOK))
		r.set("start to ready, large database", "ms", time.Since(began).Seconds()*1000)
		time.Sleep(r.size.rest)
		r.set("idle memory, large database", "MiB", float64(must(s.process().ProcSMapsRollup()).Rss)/(1<<20))
	})
}
