package main

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"time"

	"countersign/cmd/bench/load"
)

// waiter is a way to wait for an outcome.
type waiter struct {
	name string
	// body is the confirm of the i-th agent, request how that agent waits.
	body    func(i int) []byte
	request func(p *product, i int, id string) []byte
}

var longPoll = waiter{
	name: "long-poll",
	body: func(int) []byte { return confirmBody },
	request: func(p *product, i int, id string) []byte {
		return load.Get(p.address, load.Outcome(id)+"?wait=60", load.Bearer(p.Agents[i%len(p.Agents)]))
	},
}

var stream = waiter{
	name: "stream",
	body: func(i int) []byte {
		return fmt.Appendf(nil, `{"target_type":"other","timeout":86400,"session_id":"session-%d","actions":[{"name":"send_email","args":{"number":%d}}]}`, i, i)
	},
	request: func(p *product, i int, _ string) []byte {
		return load.Get(p.address, fmt.Sprintf("/api/v1/sessions/session-%d/events", i), load.Bearer(p.Agents[i%len(p.Agents)]), "Accept: text/event-stream")
	},
}

// polling and streaming measure what waiting agents cost, and what they cost
// the others.
func polling(ctx context.Context, r *round) error   { return r.waitingBy(ctx, longPoll) }
func streaming(ctx context.Context, r *round) error { return r.waitingBy(ctx, stream) }

func (r *round) waitingBy(ctx context.Context, w waiter) error {
	dir, err := r.fresh()
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	var ids []string
	err = r.on(ctx, dir, func(p *product) error {
		j := load.Job{Kind: load.Repeat, Address: p.address, Clients: 32, Total: r.size.waiting, Want: http.StatusCreated, Reader: p.Agents[0]}
		for i := range r.size.waiting {
			j.Requests = append(j.Requests, load.Post(p.address, "/api/v1/confirms", w.body(i), load.Bearer(p.Agents[i%len(p.Agents)])))
		}
		done, err := r.load(ctx, j)
		if err == nil {
			ids = done.IDs
		}
		return err
	})
	if err != nil {
		return err
	}
	// In a new process, whose memory holds nothing of what was posted.
	if err := r.on(ctx, dir, func(p *product) error { return r.wait(ctx, p, w, ids) }); err != nil {
		return err
	}
	return r.verify(ctx, dir)
}

// wait measures a server before agents wait, while they do, and afterwards.
func (r *round) wait(ctx context.Context, p *product, w waiter, ids []string) error {
	if err := settle(p.pid()); err != nil {
		return err
	}
	before, err := memoryOf(p.pid())
	if err != nil {
		return err
	}
	err = r.holding(ctx, p, w, ids, func() error {
		after, err := memoryOf(p.pid())
		if err != nil {
			return err
		}
		// The pages of the database that reading maps are the kernel's cache, once for
		// each connection that reads, however many wait.
		r.set("memory per waiting agent, "+w.name, "KiB", (after.anonymous-before.anonymous)/1024/float64(len(ids)))
		r.set("memory per waiting agent with mapped files, "+w.name, "KiB", (after.rss-before.rss)/1024/float64(len(ids)))
		if err := r.idle(p, w.name); err != nil {
			return err
		}
		return r.travelWhile(ctx, p, "many waiting by "+w.name)
	})
	if err != nil {
		return err
	}
	if err := r.travelWhile(ctx, p, "after "+w.name); err != nil {
		return err
	}
	return r.holding(ctx, p, w, ids[:r.size.some], func() error { return r.travelWhile(ctx, p, "some waiting by "+w.name) })
}

// holding runs fn while agents wait for the confirms.
func (r *round) holding(ctx context.Context, p *product, w waiter, ids []string, fn func() error) error {
	j := load.Job{Kind: load.Hold, Address: p.address}
	for i, id := range ids {
		j.Requests = append(j.Requests, w.request(p, i, id))
	}
	held, err := r.begin(ctx, j)
	if err != nil {
		return err
	}
	defer held.kill()
	if _, err := held.line(load.Ready); err != nil {
		return err
	}
	if err := settle(p.pid()); err != nil {
		return err
	}
	if err := fn(); err != nil {
		return err
	}
	if err := held.stdin.Close(); err != nil {
		return err
	}
	if _, err := held.result(); err != nil {
		return err
	}
	return settle(p.pid())
}

// travelWhile notes the round trips of one client and of several while something
// else goes on.
func (r *round) travelWhile(ctx context.Context, p *product, what string) error {
	for _, n := range []int{1, 16} {
		if err := r.travel(ctx, p, n, ", "+what); err != nil {
			return err
		}
	}
	return nil
}

// idle notes what a server does while everybody waits and nothing happens.
func (r *round) idle(p *product, name string) error {
	used, err := processorTime(p.pid())
	if err != nil {
		return err
	}
	reads, err := systemReads(p.pid())
	if err != nil {
		return err
	}
	began := time.Now()
	time.Sleep(max(r.size.window, time.Second))
	took := time.Since(began).Seconds()
	usedThen, err := processorTime(p.pid())
	if err != nil {
		return err
	}
	readsThen, err := systemReads(p.pid())
	if err != nil {
		return err
	}
	r.set("processor while all wait, "+name, "%", (usedThen-used).Seconds()/took*100)
	r.set("reads from files while all wait, "+name, "1/s", (readsThen-reads)/took)
	return nil
}
