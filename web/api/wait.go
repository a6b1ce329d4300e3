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

// await answers a request that may wait. It asks for as long as the request has
// left: first in the ordinary way, and then the connection is parked until
// something happens. When it comes back it is asked anew.
func await[T changing](a *api, c echo.Context, by domain.Ref, ask func(wait time.Duration) (T, error)) (answer T, err error) {
	wait, err := wait(c)
	if err != nil {
		return answer, err
	}
	began := park.Began(c.Request().Context(), time.Now())
	until := began.Add(wait)
	left := time.Until(until)
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
	if !a.parks(c) {
		return ask(left)
	}
	answer, err = ask(min(left, a.lot.After()))
	if err != nil || answer.Awaits() == nil || time.Until(until) <= 0 || a.stopping() {
		return answer, err
	}
	return parked(a, c, by, ask, answer, until, &park.Past{Began: began, Holds: end})
}

// parked parks a request with an answer that may change, or goes on waiting in
// the ordinary way if that cannot be.
func parked[T changing](a *api, c echo.Context, by domain.Ref, ask func(wait time.Duration) (T, error), answer T, until time.Time, past *park.Past) (T, error) {
	place := a.lot.Place()
	deaf, err := a.service.Listen(c.Request().Context(), by, answer.Awaits(), place.Wake)
	if err != nil {
		return answer, err
	}
	// What changed before Listen would not be told.
	if answer, err = ask(0); err != nil || answer.Awaits() == nil {
		deaf()
		return answer, err
	}
	request := park.Text(c.Request())
	if request == nil || !place.Take(c.Response(), c.Request()) {
		deaf()
		return ask(time.Until(until))
	}
	if due := answer.Awaits().Due; !due.IsZero() {
		until = earlier(until, time.Now().Add(due.Sub(a.service.Now())))
	}
	route.SetRest(c, func(func(int64)) {
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

// parks says whether a request may be parked.
func (a *api) parks(c echo.Context) bool {
	past := park.Of(c.Request().Context())
	return a.lot != nil && (past == nil || !past.Sent)
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
