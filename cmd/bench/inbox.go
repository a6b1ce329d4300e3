package main

import (
	"context"
	"net/http"

	"countersign/cmd/bench/load"
)

func measureInbox(ctx context.Context, r *round) {
	r.on(ctx, r.filled(ctx, r.size.small), func(s *server) {
		r.runClients(ctx, "inbox, small database", 1, s.inbox(ctx))
	})
	r.on(ctx, r.filled(ctx, r.size.large), func(s *server) {
		r.runClients(ctx, "inbox, large database", 1, s.inbox(ctx))
		r.runClients(ctx, "inbox, large database", 16, s.inbox(ctx))
	})
	r.onFresh(ctx, func(s *server) (posted []load.Confirm) {
		page, window := s.inbox(ctx), r.size.window
		window.Length += window.Warm
		check(load.Together(ctx, 2, func(ctx context.Context, i int) (err error) {
			defer catch(&err)
			if i == 0 {
				r.runClients(ctx, "inbox while 16 clients create", 1, page)
			} else {
				posted = must(load.Run(ctx, 16, window, s.create())).Confirms
			}
			return nil
		}))
		return posted
	})
}

// inbox makes the step of a signed-in user who gets the page.
func (s *server) inbox(ctx context.Context) func(int) load.Step {
	return load.Send(s.address, http.StatusOK, load.Get("/confirms", s.signIn(ctx)))
}
