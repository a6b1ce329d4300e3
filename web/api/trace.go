package api

import (
	"net/http"
	"net/url"

	"github.com/labstack/echo/v4"

	"countersign/domain"
	"countersign/domain/mplp"
)

func (a *api) postTrace(c echo.Context, by domain.Ref) error {
	in, err := read(a, c, mplp.ParseTraceObject)
	if err != nil {
		return err
	}
	created, err := a.service.CreateTrace(c.Request().Context(), by, in)
	if err != nil {
		return err
	}
	if err := warn(c, in.Warnings); err != nil {
		return err
	}
	return writePosted(c, true, "/traces/"+url.PathEscape(created.ID), mplp.CanonicalTrace, created.Native)
}

func (a *api) listTraces(c echo.Context, by domain.Ref) error {
	page, err := pageParam(c)
	if err != nil {
		return err
	}
	traces, next, err := a.service.Traces(c.Request().Context(), by, page)
	if err != nil {
		return err
	}
	objects := make([][]byte, len(traces))
	for i, trace := range traces {
		objects[i] = trace.Native
	}
	return writeList(c, mplp.CanonicalTrace, objects, next)
}

func (a *api) getTrace(c echo.Context, by domain.Ref) error {
	found, err := a.service.Trace(c.Request().Context(), by, param(c, "id"))
	if err != nil {
		return err
	}
	return writeObject(c, http.StatusOK, mplp.CanonicalTrace, found.Native)
}
