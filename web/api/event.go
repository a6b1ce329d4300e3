package api

import (
	"cmp"
	"context"
	"encoding/json"

	"github.com/labstack/echo/v4"

	"countersign/domain"
	"countersign/web/sse"
)

// getEvents reads the log as events, or follows it. A list ends where next_cursor
// says; after and cursor mean the same.
func (a *api) getEvents(c echo.Context, by domain.Ref) error {
	page, err := pageParam(c)
	if err != nil {
		return err
	}
	f := domain.EventFilter{
		ConfirmID: c.QueryParam("confirm_id"), PlanID: c.QueryParam("plan_id"), TraceID: c.QueryParam("trace_id"),
		Family: c.QueryParam("family"), Type: c.QueryParam("type"), Limit: page.Limit,
	}
	if f.After, err = parseCursor("after", cmp.Or(c.QueryParam("after"), page.Cursor)); err != nil {
		return err
	}
	if accepts(c, sse.Type) {
		return a.followEvents(c, by, f)
	}
	events, next, err := a.service.Events(c.Request().Context(), by, f)
	if err != nil {
		return err
	}
	objects := make([][]byte, len(events))
	for i, event := range events {
		if objects[i], err = json.Marshal(event); err != nil {
			return err
		}
	}
	if next == nil {
		return writeList(c, nil, objects, "")
	}
	return writeList(c, nil, objects, next.String())
}

// followEvents sends what comes after the place that the listener has reached,
// or after this moment.
func (a *api) followEvents(c echo.Context, by domain.Ref, f domain.EventFilter) error {
	missed, err := lastEventID(c)
	if err != nil {
		return err
	}
	if missed != nil {
		f.After = missed
	}
	// What is refused is refused before the stream begins.
	if f.After, err = a.service.EventStart(c.Request().Context(), by, f); err != nil {
		return err
	}
	message := func(event domain.Event) (domain.Cursor, []byte, error) {
		text, err := json.Marshal(event)
		return event.Cursor, text, err
	}
	return stream(a, c, by, message, func(ctx context.Context, l *listener[domain.Event]) error {
		return a.service.FollowEvents(ctx, by, f, l)
	})
}
