package api

import (
	"context"
	"errors"
	"fmt"
	"mime"
	"net/http"
	"strings"
	"time"

	"github.com/labstack/echo/v4"

	"countersign/domain"
	"countersign/web/sse"
)

// writeTimeout is how long a listener may take to accept one message.
const writeTimeout = 10 * time.Second

// followSession sends the frames of a session's approval requests.
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
	return wrapGone(l.Event(at.String(), "", data))
}

// Ping writes nothing that counts.
func (l *listener[T]) Ping() error { return wrapGone(l.Comment("")) }

// Wait waits while the listener is there.
func (l *listener[T]) Wait(until time.Time) error { return wrapGone(l.Stream.Wait(until)) }

// stream answers with what follow sends.
func stream[T any](a *api, c echo.Context, by domain.Ref, message func(T) (domain.Cursor, []byte, error), follow func(context.Context, *listener[T]) error) error {
	end, err := a.waits.begin(by, kindSSE)
	if err != nil {
		return err
	}
	defer end()
	out, err := sse.Open(c, writeTimeout)
	if err != nil {
		return wrapGone(err)
	}
	defer out.Close()
	if err = wrapGone(out.Comment("connected")); err == nil {
		err = follow(c.Request().Context(), &listener[T]{out, message})
	}
	a.logStreamError(requestID(c), c.Path(), err)
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

// wrapGone marks an error of the connection.
func wrapGone(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%w: %w", sse.ErrGone, err)
}

// logStreamError tells the operator of a stream that broke for a reason on our side:
// its listener can be told no more than that it ended.
func (a *api) logStreamError(id, route string, err error) {
	if err == nil || errors.Is(err, sse.ErrGone) {
		return
	}
	if k := problemKinds[domain.ErrorCode(err)]; k.status >= http.StatusInternalServerError {
		a.logger.Error("stream failed", "request_id", id, "route", route, "error", err)
	}
}

// accepts reports whether the caller asks for a media type by name.
func accepts(c echo.Context, mediaType string) bool {
	for _, header := range c.Request().Header.Values(echo.HeaderAccept) {
		for option := range strings.SplitSeq(header, ",") {
			if name, _, err := mime.ParseMediaType(option); err == nil && name == mediaType {
				return true
			}
		}
	}
	return false
}

// parseCursor reads a place in the log from the value that path names; empty is none.
func parseCursor(path, text string) (*domain.Cursor, error) {
	if text == "" {
		return nil, nil
	}
	at, err := domain.ParseCursor(text)
	if err != nil {
		return nil, domain.Invalid(path, "format", "A place in the log is <log sequence>.<n>, like the ids of events.")
	}
	return &at, nil
}

// lastEventID is the last message that a listener has seen, nil if it has seen
// none. Who cannot set headers says it in the address.
func lastEventID(c echo.Context) (*domain.Cursor, error) {
	if header := c.Request().Header.Get("Last-Event-ID"); header != "" {
		return parseCursor("Last-Event-ID", header)
	}
	return parseCursor("last_event_id", c.QueryParam("last_event_id"))
}
