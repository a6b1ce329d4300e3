package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"countersign/cmd/bench/load"
	"countersign/store/postgrestest"
)

func measureNodes(ctx context.Context, r *round) {
	check(isOnDisk(os.TempDir())) // where PostgreSQL keeps its files
	postgres := must(postgrestest.New())
	defer postgres.Remove()
	check(postgres.Start())
	for _, n := range []int{1, 2} {
		dir, db := must(os.MkdirTemp(r.work, "nodes-")), must(postgres.Create(ctx))
		r.furnish(ctx, dir, db)
		nodes, results := make([]*server, n), make([]*load.Result, n)
		for i := range nodes {
			nodes[i] = r.serve(ctx, dir, db, "--head", filepath.Join(dir, fmt.Sprint("head-", i)))
			defer nodes[i].kill()
		}
		check(load.Together(ctx, n, func(ctx context.Context, i int) (err error) {
			results[i], err = load.Run(ctx, 128/n, r.size.window, nodes[i].create())
			return err
		}))
		rate := 0.0
		for _, result := range results {
			rate += result.Rate()
			if lost := must(load.ReadBack(ctx, nodes[0].address, nodes[0].Agents[0], result.Confirms)); lost > 0 {
				check(fmt.Errorf("%d requests are missing on the first node", lost))
			}
		}
		r.set(fmt.Sprint("requests created on PostgreSQL, 128 clients, nodes: ", n), "1/s", rate)
		for _, node := range nodes {
			node.stop()
		}
		r.verify(ctx, dir, db)
	}
}
