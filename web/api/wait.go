package api

import (
	"errors"
	"net/http"
	"time"

	"github.com/labstack/echo/v4"

	"countersign/domain"
	"countersign/web/park"
	"countersign/web/route"
)

// changing is an answer that may not be the last word.
type changing interface {
	Awaits() *domain.Change // nil: it is
}

// errParked says that a request has left its handler unanswered: it comes back.
var errParked = errors.New("parked")

// waiting is a request that waits for an answer.
type waiting[T changing] struct {
	*api
	c            echo.Context
	by           domain.Ref
	ask          func(wait time.Duration) (T, error)
	began, until time.Time
}

// await answers a request that may wait. It asks for as long as the request has
// left: first in the ordinary way, and then the connection is parked until
// something happens. When it comes back the answer is asked for anew, and it may
// be parked again.
func await[T changing](a *api, c echo.Context, by domain.Ref, ask func(wait time.Duration) (T, error)) (answer T, err error) {
	wait, err := wait(c)
	if err != nil {
		return answer, err
	}
	w := &waiting[T]{api: a, c: c, by: by, ask: ask, began: park.Began(c.Request().Context(), time.Now())}
	w.until = w.began.Add(wait)
	left := time.Until(w.until)
	if left <= 0 {
		return ask(0)
	}
	end, err := a.hold(c, by)
	if err != nil {
		return answer, err
	}
	defer func() {
		if err != errParked {
			end()
		}
	}()
	past := park.Of(c.Request().Context())
	switch {
	case a.lot == nil, past != nil && past.Ordinary:
		return ask(left)
	case past != nil:
		answer, err = ask(0) // it has been patient before
	default:
		answer, err = ask(min(left, a.lot.After()))
	}
	if err != nil || answer.Awaits() == nil || time.Until(w.until) <= 0 || a.stopping() {
		return answer, err
	}
	return w.park(answer.Awaits(), end)
}

// park parks the request until a change may have come, and end with it. If that
// cannot be, it goes on waiting in the ordinary way.
func (w *waiting[T]) park(change *domain.Change, end func()) (answer T, err error) {
	place := w.lot.Place()
	deaf, err := w.service.Listen(w.c.Request().Context(), w.by, change, place.Wake)
	if err != nil {
		return answer, err
	}
	// What changed before Listen would not be told.
	if answer, err = w.ask(0); err != nil || answer.Awaits() == nil {
		deaf()
		return answer, err
	}
	request := park.Text(w.c.Request())
	if request == nil || !place.Take(w.c.Response(), w.c.Request()) {
		deaf()
		return w.ask(time.Until(w.until))
	}
	past := &park.Past{Began: w.began, Holds: end}
	until := w.until
	if due := answer.Awaits().Due; !due.IsZero() {
		until = earlier(until, time.Now().Add(due.Sub(w.service.Now())))
	}
	route.SetRest(w.c, func(func(int64)) {
		place.Wait(until)
		deaf()
		place.Return(request, past)
	})
	return answer, errParked
}

func earlier(a, b time.Time) time.Time {
	if b.Before(a) {
		return b
	}
	return a
}

// stopping says whether nobody is to wait any more.
func (a *api) stopping() bool {
	select {
	case <-a.service.Feed().Done():
		return true
	default:
		return false
	}
}

// hold takes a place for a request that waits, until end, and lifts the server's
// deadline for writing from it. A request that was parked has its place.
func (a *api) hold(c echo.Context, by domain.Ref) (end func(), err error) {
	// A connection without deadlines refuses, and has none to lift.
	_ = http.NewResponseController(c.Response()).SetWriteDeadline(time.Time{})
	if past := park.Of(c.Request().Context()); past != nil {
		return past.Keep(), nil
	}
	return a.waits.begin(by, longPoll)
}
