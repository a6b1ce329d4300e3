package api

import (
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/labstack/echo/v4"

	"countersign/domain"
	"countersign/web/route"
	"countersign/web/sse"
)

func (a *api) streams(add adder) {
	add(http.MethodGet, "/sessions/:session_id/events", route.Known, a.known(a.followSession))
	add(http.MethodGet, "/sessions/:session_id/ws", route.Known, a.known(a.openSocket))
}

// patience is how long a listener may take to accept one message.
const patience = 10 * time.Second

// followSession sends the frames of a session's approval requests (requirements
//
func (a *api) followSession(c echo.Context, by domain.Ref) error {
	session := param(c, "session_id")
	after, err := a.beginning(c, by, session)
	if err != nil {
		return err
	}
	return a.stream(c, by, func(out *sse.Stream) error {
		return a.service.FollowSession(out.Context(), by, session, after, func(f domain.Frame) error {
			return gone(out.Event(f.Cursor.String(), f.Data))
		}, pinging(out))
	})
}

// stream answers with what follow sends.
func (a *api) stream(c echo.Context, by domain.Ref, follow func(*sse.Stream) error) error {
	end, err := a.waits.begin(by, sseStream)
	if err != nil {
		return err
	}
	defer end()
	out, err := sse.Open(c, patience)
	if err != nil {
		return gone(err)
	}
	defer out.Close()
	if err = gone(out.Comment("connected")); err == nil {
		err = follow(out)
	}
	if out.Context().Err() == nil {
		a.fault(requestID(c), c.Path(), err)
	}
	return nil
}

// pinging says that a stream is there.
func pinging(out *sse.Stream) func() error {
	return func() error { return gone(out.Comment("")) }
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
func (a *api) fault(id, route string, err error) {
	if err == nil || errors.Is(err, errGone) {
		return
	}
	if k := kinds[domain.ErrorCode(err)]; k.status >= http.StatusInternalServerError {
		a.logger.Error("stream failed", "request_id", id, "route", route, "error", err)
	}
}
