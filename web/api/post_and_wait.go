package api

import (
	"time"

	"github.com/labstack/echo/v4"

	"countersign/domain"
)

// postAndWait posts a confirm and waits for its outcome in the same request. Decided in
// time, decided writes the answer, else notDecided does, as without a wait.
func (a *api) postAndWait(c echo.Context, by domain.Ref, post func() (*domain.PostedConfirm, error),
	decided func(*domain.Outcome) error, notDecided func(*domain.PostedConfirm) error) error {
	var posted *domain.PostedConfirm
	ask := func(wait time.Duration) (o *domain.Outcome, err error) {
		if posted, err = post(); err != nil || wait == 0 {
			return nil, err
		}
		return a.waitForPosted(c, by, posted, wait)
	}
	return longPoll(a, c, by, ask, func(o *domain.Outcome) error {
		if err := warn(c, posted.Warnings); err != nil {
			return err
		}
		if o != nil {
			return decided(o)
		}
		return notDecided(posted)
	})
}

// waitForPosted returns the outcome of a confirm, or nil if it is not decided in time. To
// save memory it drops the posted JSON while it waits, and reads it again afterwards.
func (a *api) waitForPosted(c echo.Context, by domain.Ref, posted *domain.PostedConfirm, wait time.Duration) (*domain.Outcome, error) {
	releaseBody(c)
	posted.Native = nil
	ctx, id := c.Request().Context(), posted.Confirm.ID
	o, err := a.service.Outcome(ctx, by, id, wait)
	if err != nil || o.IsFinal() {
		return o, err
	}
	stored, err := a.service.ConfirmJSON(ctx, by, id)
	if err == nil {
		posted.Native = stored.Native
	}
	return nil, err
}
