package main

import (
	"context"
	"fmt"
	"net/http"

	"countersign/cmd/bench/load"
)

// inbox measures the page that reviewers look at most, over many confirms and
// over few.
func inbox(ctx context.Context, r *round) error {
	few, err := r.filled(ctx, r.size.few)
	if err != nil {
		return err
	}
	many, err := r.filled(ctx, r.size.confirms)
	if err != nil {
		return err
	}
	if err := r.on(ctx, few, func(p *product) error { return r.inboxOf(ctx, p, "few", []int{1}) }); err != nil {
		return err
	}
	return r.on(ctx, many, func(p *product) error {
		if err := r.inboxOf(ctx, p, "many", []int{1, 16}); err != nil {
			return err
		}
		list := load.Get(p.address, "/api/v1/confirms?status=pending&limit=50", load.Bearer(p.Deciders[0]))
		done, err := r.repeat(ctx, 16, http.StatusOK, load.Job{Address: p.address, Requests: [][]byte{list}})
		if err != nil {
			return err
		}
		r.rate("JSON list, many", 16, done)
		return nil
	})
}

// inboxOf measures the inbox of one server: as it is, compressed as browsers
// ask for it, and, where pages carry a tag, when nothing has changed.
func (r *round) inboxOf(ctx context.Context, p *product, which string, clients []int) error {
	session, err := p.signIn(ctx)
	if err != nil {
		return err
	}
	for _, n := range clients {
		page, err := r.repeat(ctx, n, http.StatusOK, load.Job{Address: p.address, Requests: [][]byte{p.inbox(session)}})
		if err != nil {
			return err
		}
		r.rate("inbox, "+which, n, page)
		if n == 1 {
			r.set("inbox, "+which+", size", "KiB", float64(page.Bytes)/1024)
			continue
		}
		if page, err = r.repeat(ctx, n, http.StatusOK, load.Job{Address: p.address, Requests: [][]byte{p.inbox(session, "Accept-Encoding: gzip")}}); err != nil {
			return err
		}
		r.rate("inbox compressed, "+which, n, page)
		r.set("inbox compressed, "+which+", size", "KiB", float64(page.Bytes)/1024)
		if page.ETag == "" {
			continue
		}
		if page, err = r.repeat(ctx, n, http.StatusNotModified, load.Job{
			Address: p.address, Requests: [][]byte{p.inbox(session, "Accept-Encoding: gzip", fmt.Sprintf("If-None-Match: %s", page.ETag))},
		}); err != nil {
			return err
		}
		r.rate("inbox unchanged, "+which, n, page)
	}
	return nil
}

func (p *product) inbox(session string, headers ...string) []byte {
	return load.Get(p.address, "/confirms", append(headers, session)...)
}

// mixed measures the inbox while agents post.
func mixed(ctx context.Context, r *round) error {
	return r.with(ctx, func(p *product) error {
		session, err := p.signIn(ctx)
		if err != nil {
			return err
		}
		posting := p.posting()
		posting.Kind, posting.Clients, posting.Warm, posting.Window = load.Repeat, 16, r.size.warm, r.size.window+r.size.warm
		background, err := r.begin(ctx, posting)
		if err != nil {
			return err
		}
		defer background.kill()
		page, err := r.repeat(ctx, 1, http.StatusOK, load.Job{Address: p.address, Requests: [][]byte{p.inbox(session)}})
		if err != nil {
			return err
		}
		r.duration("inbox p50 while 16 create", page.Latency.P50)
		r.duration("inbox p99 while 16 create", page.Latency.P99)
		done, err := background.result()
		if err != nil {
			return err
		}
		r.set("create while the inbox is read, 16 clients", "1/s", done.Rate())
		return nil
	})
}
