package main

import (
	"context"
	"net/http"
	"path/filepath"

	"countersign/cmd/bench/load"
)

// noops measures what answers without a store: the no-op server, and the
// product's own router over a store that keeps nothing.
func noops(ctx context.Context, r *round) error {
	err := r.beside(ctx, func(address string) error {
		post := load.Job{Address: address, Requests: [][]byte{load.Post(address, "/noop", confirmBody)}}
		for _, n := range r.size.clients {
			done, err := r.repeat(ctx, n, http.StatusCreated, post)
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
		return nil
	}, "ground")
	if err != nil {
		return err
	}
	a, err := readAccess(r.template)
	if err != nil {
		return err
	}
	return r.beside(ctx, func(address string) error {
		for _, n := range r.size.clients {
			done, err := r.repeat(ctx, n, http.StatusCreated, a.posts(address))
			if err != nil {
				return err
			}
			r.rate("own router without a store", n, done)
		}
		return nil
	}, "router", filepath.Join(r.template, database))
}

// beside runs fn while a server of the benchmark's own answers.
func (r *round) beside(ctx context.Context, fn func(address string) error, words ...string) error {
	p, err := start(ctx, r.work, r.self, words...)
	if err != nil {
		return err
	}
	defer p.kill()
	address, err := p.line(listening)
	if err != nil {
		return err
	}
	if err := fn(address); err != nil {
		return p.failed(err)
	}
	return p.stop()
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
	j := p.posts(p.address)
	j.Reader = p.Agents[0]
	return j
}

// posts is a job that posts confirms with the keys of all agents.
func (a *access) posts(address string) load.Job {
	j := load.Job{Address: address, Want: http.StatusCreated}
	for _, key := range a.Agents {
		j.Requests = append(j.Requests, load.Post(address, "/api/v1/confirms", confirmBody, load.Bearer(key)))
	}
	return j
}
