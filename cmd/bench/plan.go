package main

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"

	"countersign/cmd/bench/load"
)

func measurePlan(ctx context.Context, r *round) {
	r.onFresh(ctx, func(s *server) []load.Confirm {
		session := s.signIn(ctx)
		var posts, pages [][]byte
		for i := range r.size.plans {
			posts = append(posts, load.Post("/api/v1/plans", planBody(i, r.size.steps), load.Bearer(s.Agents[0])))
			pages = append(pages, load.Get(fmt.Sprint("/plans/plan-", i), session))
		}
		once, open := load.Window{Steps: int64(r.size.plans)}, load.Send(s.address, http.StatusOK, pages...)
		must(load.Run(ctx, 1, once, load.Send(s.address, http.StatusCreated, posts...)))
		r.setTimes("plan page, first", must(load.Run(ctx, 1, once, open)), load.Whole)
		r.runClients(ctx, "plan page, again", 1, open)
		return nil
	})
}

// planBody is a plan whose steps depend on one to three of the twenty before
// them.
func planBody(number, steps int) []byte {
	random := rand.New(rand.NewPCG(1, uint64(number)))
	list := make([]any, steps)
	for i := range list {
		needs := []string{}
		for _, back := range random.Perm(20)[:1+random.IntN(3)] {
			if i > back {
				needs = append(needs, fmt.Sprint("step-", i-1-back))
			}
		}
		list[i] = map[string]any{"step_id": fmt.Sprint("step-", i), "order_index": i, "dependencies": needs,
			"description": fmt.Sprintf("Move shard %d of the archive to its new place and compare both", i), "status": "pending", "agent_role": "executor"}
	}
	return must(json.Marshal(map[string]any{"plan_id": fmt.Sprint("plan-", number), "context_id": "context-archive", "steps": list,
		"title": fmt.Sprint("Move the archive, part ", number), "objective": "Empty the old store", "status": "draft"}))
}
