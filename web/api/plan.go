package api

import (
	"net/http"
	"net/url"

	"github.com/labstack/echo/v4"

	"countersign/domain"
	"countersign/domain/mplp"
)

func (a *api) readPlan(c echo.Context) (*mplp.Plan, error) {
	return readWithin(a, c, a.service.Limits().PlanBody, mplp.ParsePlan)
}

func (a *api) postPlan(c echo.Context, by domain.Ref) error {
	in, err := a.readPlan(c)
	if err != nil {
		return err
	}
	posted, err := a.service.PostPlan(c.Request().Context(), by, in)
	if err != nil {
		return err
	}
	if err := warn(c, posted.Warnings); err != nil {
		return err
	}
	return writePosted(c, posted.Created, "/plans/"+url.PathEscape(posted.Plan.ID), mplp.CanonicalPlan, posted.Native)
}

func (a *api) listPlans(c echo.Context, by domain.Ref) error {
	page, err := pageParam(c)
	if err != nil {
		return err
	}
	objects, next, err := a.service.PlansJSON(c.Request().Context(), by, domain.PlanFilter{}, page)
	if err != nil {
		return err
	}
	return writeList(c, mplp.CanonicalPlan, objects, next)
}

func (a *api) getPlan(c echo.Context, by domain.Ref) error {
	return a.writePlan(c, by, param(c, "id"))
}

func (a *api) putPlan(c echo.Context, by domain.Ref) error {
	in, err := a.readPlan(c)
	if err != nil {
		return err
	}
	revised, err := a.service.RevisePlan(c.Request().Context(), by, param(c, "id"), in)
	if err != nil {
		return err
	}
	if err := warn(c, revised.Warnings); err != nil {
		return err
	}
	return writeObject(c, http.StatusOK, mplp.CanonicalPlan, revised.Native)
}

// proposePlan answers with the confirm that was created. The optional body may
// say about it what a posted confirm may.
func (a *api) proposePlan(c echo.Context, by domain.Ref) error {
	note, err := a.readNote(c)
	if err != nil {
		return err
	}
	confirm, err := a.service.ProposePlan(c.Request().Context(), by, param(c, "id"), domain.ProposeInput{
		Reason: note.Reason, RequestedByRole: note.RequestedByRole, RequiredRole: note.RequiredRole,
		Timeout: note.Timeout, Supersedes: note.Supersedes,
	})
	if err != nil {
		return err
	}
	object, err := a.confirmObject(c, by, confirm.ID)
	if err != nil {
		return err
	}
	return writePosted(c, true, confirmPath(confirm.ID), nil, object)
}

func (a *api) cancelPlan(c echo.Context, by domain.Ref) error {
	note, err := a.readNote(c)
	if err != nil {
		return err
	}
	plan, err := a.service.CancelPlan(c.Request().Context(), by, param(c, "id"), note.Reason)
	if err != nil {
		return err
	}
	return a.writePlan(c, by, plan.ID)
}

func (a *api) writePlan(c echo.Context, by domain.Ref, id string) error {
	plan, err := a.service.PlanJSON(c.Request().Context(), by, id)
	if err != nil {
		return err
	}
	return writeObject(c, http.StatusOK, mplp.CanonicalPlan, plan.Native)
}
