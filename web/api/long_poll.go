package api

import (
	"net/http"
	"time"

	"github.com/labstack/echo/v4"

	"countersign/domain"
)

// longPoll answers a request that may wait. It counts as a wait until its answer has
// been written, for which it gets as long as any other.
func longPoll[T any](a *api, c echo.Context, by domain.Ref, ask func(wait time.Duration) (T, error), answer func(T) error) error {
	wait, err := waitParam(c)
	if err != nil {
		return err
	}
	if wait == 0 {
		found, err := ask(0)
		if err != nil {
			return err
		}
		return answer(found)
	}
	end, err := a.waits.begin(by, kindLongPoll)
	if err != nil {
		return err
	}
	defer end()
	control := http.NewResponseController(c.Response())
	extendDeadline(c, control, wait)
	found, err := ask(wait)
	extendDeadline(c, control, 0)
	if err == nil {
		err = answer(found)
	}
	if err = a.authErrorFirst(c, by, err); err != nil {
		a.fail(c, err)
	}
	_ = control.Flush() // a caller who is gone cannot be told that writing failed
	return nil
}

// extendDeadline lets the answer begin after so long, and gives it the server's time for
// writing then. A connection without deadlines refuses, and has none to extend.
func extendDeadline(c echo.Context, control *http.ResponseController, wait time.Duration) {
	server, ok := c.Request().Context().Value(http.ServerContextKey).(*http.Server)
	if ok && server.WriteTimeout > 0 {
		_ = control.SetWriteDeadline(time.Now().Add(wait + server.WriteTimeout))
	}
}
