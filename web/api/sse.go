package api

import (
	"context"
	"fmt"
	"mime"
	"net/http"
	"strings"
	"sync"

	"github.com/labstack/echo/v4"

	"countersign/domain"
)

const eventStream = "text/event-stream"

// accepts says whether the caller asks for a media type by name.
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

// place reads a place in the log from the value that path names; empty is none.
func place(path, text string) (*domain.Cursor, error) {
	if text == "" {
		return nil, nil
	}
	at, err := domain.ParseCursor(text)
	if err != nil {
		return nil, domain.Invalid(path, "format", "A place in the log is <log sequence>.<n>, as ids of events are.")
	}
	return &at, nil
}

// lastEventID is the last message that a listener has seen, nil if it has seen
// none. Who cannot set headers says it in the address.
func lastEventID(c echo.Context) (*domain.Cursor, error) {
	if header := c.Request().Header.Get("Last-Event-ID"); header != "" {
		return place("Last-Event-ID", header)
	}
	return place("last_event_id", c.QueryParam("last_event_id"))
}

// sse writes server-sent events, pings in between.
type sse struct {
	mu      sync.Mutex
	w       *echo.Response
	control *http.ResponseController
}

// stream answers with the events that follow sends.
func (a *api) stream(c echo.Context, by domain.Ref, follow func(context.Context, *sse) error) error {
	out, end, err := a.open(c, by)
	if err != nil {
		return err
	}
	defer end()
	return a.goOn(c, by, out, follow)
}

// goOn sends what follow does on a stream that has begun, until it ends.
func (a *api) goOn(c echo.Context, by domain.Ref, out *sse, follow func(context.Context, *sse) error) error {
	err := a.attend(c.Request().Context(), by, func(context.Context) error { return out.write(comment("")) },
		func(ctx context.Context) error { return follow(ctx, out) })
	a.fault(c, err)
	return err
}

// open takes a place for a stream, until end, and begins it.
func (a *api) open(c echo.Context, by domain.Ref) (out *sse, end func(), err error) {
	if end, err = a.waits.begin(by, sseStream); err != nil {
		return nil, nil, err
	}
	header := c.Response().Header()
	header.Set(echo.HeaderContentType, eventStream)
	header.Set("X-Accel-Buffering", "no")
	c.Response().WriteHeader(http.StatusOK)
	out = &sse{w: c.Response(), control: http.NewResponseController(c.Response())}
	if err = out.write(comment("connected")); err != nil {
		end()
	}
	return out, end, err
}

// send writes one message.
func (s *sse) send(at domain.Cursor, data []byte) error { return s.write(event(at, data)) }

// event is one message; data is compact JSON, and so one line.
func event(at domain.Cursor, data []byte) string {
	return fmt.Sprintf("id: %s\ndata: %s\n\n", at, data)
}

func comment(text string) string { return ": " + text + "\n\n" }

// write bounds each message instead of the whole answer: a listener that does
// not take what it is sent is dropped, and comes back for what it missed.
func (s *sse) write(text string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	err := allow(s.control, patience)
	if err == nil {
		_, err = s.w.Write([]byte(text))
	}
	if err == nil {
		err = s.control.Flush()
	}
	return gone(err)
}
