package api

import (
	"mime"
	"strings"

	"github.com/labstack/echo/v4"

	"countersign/domain"
)

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
