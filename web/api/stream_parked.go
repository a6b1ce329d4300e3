package api

import (
	"context"
	"errors"
	"io"
	"time"

	"github.com/labstack/echo/v4"

	"countersign/domain"
	"countersign/web/park"
	"countersign/web/route"
)

// parkedStream is a session's stream whose connection is parked. Its goroutine
// does nothing but wait, and so stays small: what reads the database runs beside
// it. A listener's own words are not heard: a stream has no end that they could
// follow.
type parkedStream struct {
	*api
	by        domain.Ref
	session   string
	after     *domain.Cursor
	place     *park.Place
	end       func() // gives back its place among the waits, and hears of nothing any more
	id, route string // of its request
	sent      int64
}

// parkSession parks a session's stream that has begun. False: it cannot be, and
// goes on in the ordinary way.
func (a *api) parkSession(c echo.Context, by domain.Ref, session string, after *domain.Cursor, end func()) bool {
	if a.lot == nil {
		return false
	}
	place := a.lot.Place()
	deaf, err := a.service.ListenSession(c.Request().Context(), by, session, place.Wake)
	if err != nil {
		return false
	}
	if !place.Take(c.Response(), c.Request()) {
		deaf()
		return false
	}
	s := &parkedStream{
		api: a, by: by, session: session, after: after, place: place,
		end: func() { deaf(); end() }, id: requestID(c), route: c.Path(),
	}
	route.SetRest(c, s.run)
	return true
}

// run is the stream until it ends.
func (s *parkedStream) run(answered func(sent int64)) {
	err := beside(s.step)
	for ping := time.Now().Add(pingEvery); err == nil; {
		switch s.place.Wait(ping) {
		case park.Woken:
			err = beside(s.step)
		case park.Over:
			err = beside(s.ping)
			ping = time.Now().Add(pingEvery)
		case park.Left:
			err = errGone
		}
	}
	s.end()
	if !errors.Is(err, errGone) {
		_ = s.place.Send("", patience) // nobody may be there to see the end
	}
	if err != io.EOF {
		s.broke(s.id, s.route, err)
	}
	answered(s.sent)
	s.place.Close()
}

// step sends what has happened; the error is io.EOF when the server stops.
func (s *parkedStream) step(ctx context.Context) error {
	stopping := s.stopping() // what happened before that is still told
	missed, last, err := s.service.SessionFrames(ctx, s.by, s.session, s.after)
	if err != nil {
		return err
	}
	for _, f := range missed {
		if err := s.write(event(f.Cursor, f.Data)); err != nil {
			return err
		}
	}
	s.after = &last
	if stopping {
		return io.EOF
	}
	return nil
}

// ping says that the stream is there, while its key is.
func (s *parkedStream) ping(ctx context.Context) error {
	if _, err := s.service.Principal(ctx, s.by); err != nil {
		return err
	}
	return s.write(comment(""))
}

func (s *parkedStream) write(text string) error {
	s.sent += int64(len(text))
	return gone(s.place.Send(text, patience))
}

// beside runs fn on a goroutine of its own, whose stack goes with it.
func beside(fn func(context.Context) error) error {
	done := make(chan error)
	go func() {
		var err error
		defer func() { done <- err }()
		defer recovered(&err)
		err = fn(context.Background())
	}()
	return <-done
}
