package main

import (
	"context"

	"countersign/cmd/bench/load"
)

func measureTrip(ctx context.Context, r *round) {
	for _, n := range []int{1, 16, 128} {
		r.onFresh(ctx, func(s *server) []load.Confirm {
			result := r.runClients(ctx, "round trips", n, s.trip)
			r.setTimes("decision acknowledged to agent awake"+forClients(n), result, load.Awake)
			if n == 16 {
				r.set("HTTP requests of round trips, 16 clients", "1/s", 3*result.Rate()) // create, wait, decide
			}
			return result.Confirms
		})
	}
	for _, n := range []int{1, 16, 128} {
		r.onFresh(ctx, func(s *server) []load.Confirm {
			return r.runClients(ctx, "round trips in one request", n, s.oneRequest).Confirms
		})
	}
}
