package api

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/labstack/echo/v4"

	"countersign/domain"
	"countersign/web/route"
)

func (a *api) streams(add adder) {
	add(http.MethodGet, "/sessions/:session_id/events", route.Known, a.known(a.followSession))
	add(http.MethodGet, "/sessions/:session_id/ws", route.Known, a.known(a.openSocket))
}

const (
	// pingEvery is how often a quiet stream says that it is there: proxies
	// close what is silent for half a minute.
	pingEvery = 25 * time.Second
	// patience is how long a listener may take to accept one message.
	patience = 10 * time.Second
)

// followSession sends the frames of a session's approval requests (requirements
//
func (a *api) followSession(c echo.Context, by domain.Ref) error {
	session := param(c, "session_id")
	after, err := a.beginning(c, by, session)
	if err != nil {
		return err
	}
	out, end, err := a.open(c, by)
	if err != nil || a.parkSession(c, by, session, after, end) {
		return err
	}
	defer end()
	return a.goOn(c, by, out, func(ctx context.Context, out *sse) error {
		return a.service.FollowSession(ctx, by, session, after, func(f domain.Frame) error { return out.send(f.Cursor, f.Data) })
	})
}

// beginning is where a listener goes on. A new one has the session's pending
// requests replayed to it, which is what nil means. If there are none, it hears
// of everything that comes after this moment, before it is told that it is
// connected: whoever connects first and requests then misses nothing. Who comes
// from a place that the log has not reached has listened to what a restore took
// back, and begins anew: nothing would be told until the log got there.
func (a *api) beginning(c echo.Context, by domain.Ref, session string) (*domain.Cursor, error) {
	after, err := lastEventID(c)
	if err != nil {
		return nil, err
	}
	ctx := c.Request().Context()
	last, err := a.service.LastSeq(ctx)
	if err != nil || after != nil && after.Seq <= last {
		return after, err
	}
	pending, more, err := a.service.Confirms(ctx, by, domain.ConfirmFilter{SessionID: session, Status: domain.Pending}, domain.Page{Limit: 1})
	if err != nil || len(pending) > 0 || more != "" {
		return nil, err
	}
	return new(domain.EndOf(last)), nil
}

// attend runs follow, and pings the listener meanwhile, until one of them ends
// or the key does: a key that expires leaves nothing in the log to be heard of.
func (a *api) attend(ctx context.Context, by domain.Ref, ping, follow func(context.Context) error) error {
	ctx, leave := context.WithCancelCause(ctx)
	quiet := make(chan struct{})
	go func() {
		defer close(quiet)
		tick := time.NewTicker(pingEvery)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
			case <-ctx.Done():
				return
			}
			if _, err := a.service.Principal(ctx, by); err != nil {
				leave(err)
			} else if err := ping(ctx); err != nil {
				leave(err)
			}
		}
	}()
	err := follow(ctx)
	cause := context.Cause(ctx)
	leave(nil)
	<-quiet // nothing is written after the answer has ended
	if cause != nil {
		return cause
	}
	return err
}

// errGone says that a listener left, or was too slow.
var errGone = errors.New("the listener is gone")

// gone marks an error of the connection.
func gone(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%w: %w", errGone, err)
}

// fault tells the operator of a stream that broke for a reason on our side:
// its listener can be told no more than that it ended.
func (a *api) fault(c echo.Context, err error) {
	if c.Request().Context().Err() == nil {
		a.broke(requestID(c), c.Path(), err)
	}
}

// broke is fault for a stream whose request is over.
func (a *api) broke(id, route string, err error) {
	if err == nil || errors.Is(err, errGone) {
		return
	}
	if k := kinds[domain.ErrorCode(err)]; k.status >= http.StatusInternalServerError {
		a.logger.Error("stream failed", "request_id", id, "route", route, "error", err)
	}
}
