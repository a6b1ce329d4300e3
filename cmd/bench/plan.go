package main

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"

	"countersign/cmd/bench/load"
)

// plans measures the page of a large plan with its drawing, when it is opened
// for the first time and again.
func plans(ctx context.Context, r *round) error {
	return r.with(ctx, func(p *product) error {
		session, err := p.signIn(ctx)
		if err != nil {
			return err
		}
		var posts, pages [][]byte
		for i := range r.size.plans {
			body, err := planBody(r.number, i, r.size.steps)
			if err != nil {
				return err
			}
			posts = append(posts, load.Post(p.address, "/api/v1/plans", body, load.Bearer(p.Agents[0])))
			pages = append(pages, load.Get(p.address, fmt.Sprintf("/plans/plan-%d", i), session))
		}
		each := load.Job{Kind: load.Repeat, Address: p.address, Clients: 1, Total: r.size.plans, Want: http.StatusCreated, Requests: posts}
		done, err := r.load(ctx, each)
		if err != nil {
			return err
		}
		r.duration("posting a large plan p50", done.Latency.P50)
		each.Requests, each.Want = pages, http.StatusOK
		if done, err = r.load(ctx, each); err != nil {
			return err
		}
		r.duration("plan page, first time p50", done.Latency.P50)
		r.duration("plan page, first time, longest", done.Latency.Max)
		if done, err = r.repeat(ctx, 1, http.StatusOK, load.Job{Address: p.address, Requests: pages}); err != nil {
			return err
		}
		r.duration("plan page, again p50", done.Latency.P50)
		r.duration("plan page, again p99", done.Latency.P99)
		r.set("plan page, size", "KiB", float64(done.Bytes)/1024)
		return nil
	})
}

// planBody is a plan whose steps depend on one to three of the twenty before
// them.
func planBody(round, number, steps int) ([]byte, error) {
	type step struct {
		ID           string   `json:"step_id"`
		Description  string   `json:"description"`
		Status       string   `json:"status"`
		Dependencies []string `json:"dependencies,omitempty"`
		Role         string   `json:"agent_role"`
		Order        int      `json:"order_index"`
	}
	random := rand.New(rand.NewPCG(uint64(round), uint64(number)))
	list := make([]step, steps)
	for i := range list {
		list[i] = step{ID: fmt.Sprint("step-", i), Status: "pending", Role: "executor", Order: i,
			Description: fmt.Sprintf("Move shard %d of the archive to its new place and compare both", i)}
		for _, back := range random.Perm(20)[:1+random.IntN(3)] {
			if i > back {
				list[i].Dependencies = append(list[i].Dependencies, fmt.Sprint("step-", i-1-back))
			}
		}
	}
	return json.Marshal(map[string]any{
		"plan_id": fmt.Sprint("plan-", number), "context_id": "context-archive", "title": fmt.Sprint("Move the archive, part ", number),
		"objective": "Empty the old store", "status": "draft", "steps": list,
	})
}
