package api

import (
	"net/http"
	"net/url"

	"github.com/labstack/echo/v4"

	"countersign/domain"
	"countersign/domain/mplp"
)

func (a *api) postContext(c echo.Context, by domain.Ref) error {
	in, err := read(a, c, mplp.ParseContext)
	if err != nil {
		return err
	}
	created, err := a.service.CreateContext(c.Request().Context(), by, in)
	if err != nil {
		return err
	}
	if err := warn(c, in.Warnings); err != nil {
		return err
	}
	return writePosted(c, true, "/contexts/"+url.PathEscape(created.ID), mplp.CanonicalContext, created.Native)
}

func (a *api) listContexts(c echo.Context, by domain.Ref) error {
	page, err := pageParam(c)
	if err != nil {
		return err
	}
	objects, next, err := a.service.ContextsJSON(c.Request().Context(), by, page)
	if err != nil {
		return err
	}
	return writeList(c, mplp.CanonicalContext, objects, next)
}

func (a *api) getContext(c echo.Context, by domain.Ref) error {
	found, err := a.service.Context(c.Request().Context(), by, param(c, "id"))
	if err != nil {
		return err
	}
	return writeObject(c, http.StatusOK, mplp.CanonicalContext, found.Native)
}

func (a *api) putContext(c echo.Context, by domain.Ref) error {
	in, err := read(a, c, mplp.ParseContext)
	if err != nil {
		return err
	}
	updated, err := a.service.UpdateContext(c.Request().Context(), by, param(c, "id"), in)
	if err != nil {
		return err
	}
	if err := warn(c, in.Warnings); err != nil {
		return err
	}
	return writeObject(c, http.StatusOK, mplp.CanonicalContext, updated.Native)
}
