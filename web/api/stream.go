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
	"countersign/web/sse"
)

func (a *api) streams(add adder) {
	add(http.MethodGet, "/sessions/:session_id/events", route.Known, a.followSession)
	add(http.MethodGet, "/sessions/:session_id/ws", route.Known, a.openSocket)
}

// patience is how long a listener may take to accept one message.
const patience = 10 * time.Second

// followSession sends the frames of a session's approval requests (requirements
//
func (a *api) followSession(c echo.Context, by domain.Ref) error {
	reading, err := a.readSession(c, by)
	if err != nil {
		return err
	}
	return stream(a, c, by, func(f domain.Frame) (domain.Cursor, []byte, error) { return f.Cursor, f.Data, nil }, func(ctx context.Context, l *listener[domain.Frame]) error {
		return a.service.FollowSession(ctx, by, reading, l)
	})
}

// listener hears what is followed as server-sent events.
type listener[T any] struct {
	*sse.Stream
	message func(T) (at domain.Cursor, data []byte, err error)
}

// Send writes one message.
func (l *listener[T]) Send(v T) error {
	at, data, err := l.message(v)
	if err != nil {
		return err
	}
	return gone(l.Event(at.String(), data))
}

// Ping writes nothing that counts.
func (l *listener[T]) Ping() error { return gone(l.Comment("")) }

// Wait waits while the listener is there.
func (l *listener[T]) Wait(until time.Time) error { return gone(l.Stream.Wait(until)) }

// stream answers with what follow sends.
func stream[T any](a *api, c echo.Context, by domain.Ref, message func(T) (domain.Cursor, []byte, error), follow func(context.Context, *listener[T]) error) error {
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
		err = follow(c.Request().Context(), &listener[T]{out, message})
	}
	a.fault(requestID(c), c.Path(), err)
	return nil
}

// readSession is where a listener goes on.
func (a *api) readSession(c echo.Context, by domain.Ref) (*domain.SessionReading, error) {
	after, err := lastEventID(c)
	if err != nil {
		return nil, err
	}
	return a.service.ReadSession(c.Request().Context(), by, param(c, "session_id"), after)
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
