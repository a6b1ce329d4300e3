package main

import (
	"context"
	"encoding/json"
	"net/http"
	"path/filepath"
	"time"

	"countersign/cmd/bench/load"
)

func measureEvidence(ctx context.Context, r *round) {
	dir := r.filled(ctx, r.size.large)
	r.on(ctx, dir, func(s *server) {
		var proofs [][]byte
		for _, c := range must(load.Run(ctx, 1, load.Window{Steps: 50}, s.create())).Confirms {
			proofs = append(proofs, load.Get("/api/v1/evidence/confirms/"+c.ID, load.Bearer(s.Deciders[0])))
		}
		r.runClients(ctx, "proof of one request", 1, load.Send(s.address, http.StatusOK, proofs...))
	})
	began := time.Now()
	text := r.verify(ctx, dir, filepath.Join(dir, database))
	took := time.Since(began).Seconds()
	var verified struct {
		Entries float64 `json:"entries"`
	}
	check(json.Unmarshal([]byte(text), &verified))
	r.set("verify the large database", "s", took)
	r.set("verify, for 1,000,000 entries", "s", took/verified.Entries*1e6)
}
