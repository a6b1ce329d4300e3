package main

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"path/filepath"
	"time"

	"countersign/cmd/bench/load"
)

// proving measures the log of the large database: the verification of all of
// it, the proof of one confirm, and the room it takes.
func proving(ctx context.Context, r *round) error {
	dir, err := r.filled(ctx, r.size.confirms)
	if err != nil {
		return err
	}
	if err := r.on(ctx, dir, func(p *product) error { return r.proofs(ctx, p) }); err != nil {
		return err
	}
	began := time.Now()
	if err := r.verify(ctx, dir); err != nil {
		return err
	}
	took := time.Since(began)
	leaves, bytes, err := logSize(ctx, filepath.Join(dir, database))
	if err != nil {
		return err
	}
	r.set("log entries in the large database", "", leaves)
	r.set("verify the large database", "s", took.Seconds())
	r.set("verify, for 1,000,000 entries", "s", took.Seconds()/leaves*1e6)
	r.set("database bytes per log entry", "B", bytes/leaves)
	return nil
}

// proofs fetches the bundles of some confirms, each with its inclusion proofs
// and the signed checkpoint.
func (r *round) proofs(ctx context.Context, p *product) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+p.address+"/api/v1/confirms?limit=50", nil)
	if err != nil {
		return err
	}
	request.Header.Set("Authorization", "Bearer "+p.Deciders[0])
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	var list struct {
		Items []struct {
			ID string `json:"confirm_id"`
		} `json:"items"`
	}
	if err := errors.Join(json.NewDecoder(answer.Body).Decode(&list), answer.Body.Close()); err != nil {
		return err
	}
	if len(list.Items) == 0 {
		return errors.New("no confirm to prove")
	}
	j := load.Job{Address: p.address}
	for _, item := range list.Items {
		j.Requests = append(j.Requests, load.Get(p.address, "/api/v1/evidence/confirms/"+item.ID, load.Bearer(p.Deciders[0])))
	}
	done, err := r.repeat(ctx, 1, http.StatusOK, j)
	if err != nil {
		return err
	}
	r.duration("proof of one confirm p50", done.Latency.P50)
	r.duration("proof of one confirm p99", done.Latency.P99)
	return nil
}

// logSize counts the entries of a log and the bytes of its tables and indexes.
func logSize(ctx context.Context, path string) (leaves, bytes float64, err error) {
	c, shut, err := open(ctx, path)
	if err != nil {
		return 0, 0, err
	}
	defer func() { err = errors.Join(err, shut()) }()
	if err := c.QueryRowContext(ctx, "SELECT size FROM log_head").Scan(&leaves); err != nil {
		return 0, 0, err
	}
	err = c.QueryRowContext(ctx, `SELECT SUM(pgsize) FROM dbstat WHERE name IN
		(SELECT name FROM sqlite_schema WHERE tbl_name IN ('log', 'log_hashes'))`).Scan(&bytes)
	return leaves, bytes, err
}
