package main

import (
	"context"
	"net/http"

	"countersign/cmd/bench/load"
)

// noops measures the no-op server, and the product's own router, where it
// answers without its store.
func noops(ctx context.Context, r *round) error {
	p, err := start(ctx, r.work, r.self, "ground")
	if err != nil {
		return err
	}
	defer p.kill()
	address, err := p.line(listening)
	if err != nil {
		return err
	}
	for _, n := range r.size.clients {
		done, err := r.repeat(ctx, n, http.StatusCreated, load.Job{Address: address, Requests: [][]byte{load.Post(address, "/noop", confirmBody)}})
		if err != nil {
			return err
		}
		r.rate("no-op POST", n, done)
	}
	done, err := r.repeat(ctx, 16, http.StatusOK, load.Job{Address: address, Requests: [][]byte{load.Get(address, "/hello")}})
	if err != nil {
		return err
	}
	r.rate("no-op page", 16, done)
	if err := p.stop(); err != nil {
		return err
	}
	return r.with(ctx, func(p *product) error {
		done, err := r.repeat(ctx, 16, http.StatusOK, load.Job{Address: p.address, Requests: [][]byte{load.Get(p.address, "/healthz")}})
		if err != nil {
			return err
		}
		r.rate("router of the product", 16, done)
		return nil
	})
}

// create measures how fast confirms are posted.
func create(ctx context.Context, r *round) error {
	for _, n := range r.size.clients {
		err := r.with(ctx, func(p *product) error {
			done, err := r.repeat(ctx, n, http.StatusCreated, p.posting())
			if err != nil {
				return err
			}
			r.set("read back, create, "+crew(n), "", float64(done.Read))
			r.rate("create", n, done)
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// posting is a job that posts confirms and reads them back.
func (p *product) posting() load.Job {
	j := load.Job{Address: p.address, Want: http.StatusCreated, Reader: p.Agents[0]}
	for _, key := range p.Agents {
		j.Requests = append(j.Requests, load.Post(p.address, "/api/v1/confirms", confirmBody, load.Bearer(key)))
	}
	return j
}
