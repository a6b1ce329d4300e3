package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"countersign/cmd/bench/load"
	"countersign/store/postgrestest"
)

// nodes measures two servers against one over the same PostgreSQL database, and
// how fast a decision on one wakes an agent on the other. On one machine the
// servers, the database and the load share its processors: the time that each
// used says where the limit is.
func nodes(ctx context.Context, r *round) (err error) {
	if err := onDisk(os.TempDir()); err != nil {
		return fmt.Errorf("PostgreSQL keeps its files there, set TMPDIR: %w", err)
	}
	server, err := postgrestest.New()
	if err != nil {
		fmt.Fprintf(r.say, "- nodes: not measured, for there is no PostgreSQL: %v\n", err)
		return nil
	}
	defer func() { err = errors.Join(err, server.Remove()) }()
	if err := server.Start(); err != nil {
		return err
	}
	for _, n := range []int{1, 2} {
		if err := r.posting(ctx, server, n); err != nil {
			return err
		}
	}
	return nil
}

// posting measures n servers on an empty database.
func (r *round) posting(ctx context.Context, server *postgrestest.Server, n int) error {
	db, err := server.Create(ctx)
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp(r.work, "nodes-")
	if err != nil {
		return err
	}
	if _, err := r.furnish(ctx, dir, db); err != nil {
		return err
	}
	var all []*product
	for i := range n {
		p, err := r.serveBy(ctx, dir, r.binary, serveWordsAt(db, "127.0.0.1:0", "--head", filepath.Join(dir, fmt.Sprint("head-", i)))...)
		if err != nil {
			return err
		}
		defer p.kill()
		all = append(all, p)
	}
	if err := r.share(ctx, all); err != nil {
		return err
	}
	if n > 1 {
		if err := r.across(ctx, all[0], all[1]); err != nil {
			return err
		}
	}
	for _, p := range all {
		if err := p.stop(); err != nil {
			return err
		}
	}
	return r.verifyAt(ctx, dir, db)
}

// share has 128 clients post, spread over the servers.
func (r *round) share(ctx context.Context, all []*product) error {
	began := time.Now()
	used, busy, err := usedBy(all)
	if err != nil {
		return err
	}
	var posting []*process
	for _, p := range all {
		j := p.posting()
		j.Kind, j.Clients, j.Warm, j.Window = load.Repeat, 128/len(all), r.size.warm, r.size.window
		process, err := r.begin(ctx, j)
		if err != nil {
			return err
		}
		defer process.kill()
		posting = append(posting, process)
	}
	rate := 0.0
	for _, process := range posting {
		done, err := process.result()
		if err != nil {
			return err
		}
		rate += done.Rate()
	}
	usedThen, busyThen, err := usedBy(all)
	if err != nil {
		return err
	}
	took := time.Since(began).Seconds()
	r.set(fmt.Sprintf("create on PostgreSQL, 128 clients, %s", nodeCount(len(all))), "1/s", rate)
	r.set(fmt.Sprintf("processors of the servers, create on PostgreSQL, %s", nodeCount(len(all))), "", (usedThen-used).Seconds()/took)
	r.set(fmt.Sprintf("processors busy, create on PostgreSQL, %s", nodeCount(len(all))), "", (busyThen-busy).Seconds()/took)
	return nil
}

// usedBy is the processor time that the servers have used, and everybody.
func usedBy(all []*product) (used, busy time.Duration, err error) {
	for _, p := range all {
		one, err := processorTime(p.pid())
		if err != nil {
			return 0, 0, err
		}
		used += one
	}
	busy, err = machineTime()
	return used, busy, err
}

// across has agents wait on one server for decisions on the other.
func (r *round) across(ctx context.Context, waiting, deciding *product) error {
	j := waiting.travelling(load.Trip, 16, r.size)
	j.Desk = deciding.address
	done, err := r.load(ctx, j)
	if err != nil {
		return err
	}
	if r.enough("round trip over two nodes, 16 clients", done) {
		r.set("round trip over two nodes, 16 clients", "1/s", done.Rate())
		r.duration("awake on the other node p50, 16 clients", done.Awake.P50)
		r.duration("awake on the other node p99, 16 clients", done.Awake.P99)
	}
	return nil
}

func nodeCount(n int) string {
	if n == 1 {
		return "1 node"
	}
	return fmt.Sprint(n, " nodes")
}
