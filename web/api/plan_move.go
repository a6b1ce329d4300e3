package api

import (
	"context"
	"net/http"

	"github.com/labstack/echo/v4"

	"countersign/domain"
	"countersign/domain/mplp"
)

// movePlan answers with the plan after a move that needs no more than its id.
func movePlan(move func(context.Context, domain.Ref, string) (*domain.PlanJSON, error)) handler {
	return func(c echo.Context, by domain.Ref) error {
		moved, err := move(c.Request().Context(), by, param(c, "id"))
		if err != nil {
			return err
		}
		return writeObject(c, http.StatusOK, mplp.CanonicalPlan, moved.Native)
	}
}

// patchStep answers with the plan: other steps may have moved, and the plan
// with them.
func (a *api) patchStep(c echo.Context, by domain.Ref) error {
	in, err := read(a, c, mplp.ParseStepPatch)
	if err != nil {
		return err
	}
	moved, err := a.service.MoveStep(c.Request().Context(), by, param(c, "id"), param(c, "step_id"), domain.StepStatus(in.Status), in.Critical)
	if err != nil {
		return err
	}
	return writeObject(c, http.StatusOK, mplp.CanonicalPlan, moved.Native)
}
