package api

import (
	"encoding/json"
	"net/http"
	"net/url"

	"github.com/labstack/echo/v4"

	"countersign/domain"
	"countersign/domain/mplp"
)

func confirmPath(id string) string { return "/confirms/" + url.PathEscape(id) }

func (a *api) postConfirm(c echo.Context, by domain.Ref) error {
	post := func() (*domain.PostedConfirm, error) {
		in, err := read(a, c, mplp.ParseConfirm)
		if err != nil {
			return nil, err
		}
		return a.service.PostConfirm(c.Request().Context(), by, in)
	}
	decided := func(o *domain.Outcome) error { return writeOutcome(c, o, newOutcome(o)) }
	return a.postAndWait(c, by, post, decided, func(posted *domain.PostedConfirm) error {
		object, err := confirmObject(c, &domain.ConfirmJSON{Confirm: posted.Confirm, Native: posted.Native})
		if err != nil {
			return err
		}
		return writePosted(c, posted.Created, confirmPath(posted.Confirm.ID), nil, object)
	})
}

func (a *api) listConfirms(c echo.Context, by domain.Ref) error {
	page, err := pageParam(c)
	if err != nil {
		return err
	}
	status, err := enumParam(c, "status", domain.Pending, domain.Approved, domain.Rejected, domain.Cancelled)
	if err != nil {
		return err
	}
	target, err := enumParam(c, "target_type", domain.TargetContext, domain.TargetPlan, domain.TargetTrace, domain.TargetExtension, domain.TargetOther)
	if err != nil {
		return err
	}
	objects, next, err := a.service.ConfirmsJSON(c.Request().Context(), by, domain.ConfirmFilter{
		Status: status, TargetType: target, TargetID: c.QueryParam("target_id"), StepID: c.QueryParam("step_id"),
		TraceID: c.QueryParam("trace_id"), SessionID: c.QueryParam("session_id"),
		RequestedByRole: c.QueryParam("requested_by_role"), Query: c.QueryParam("q"), WithImports: true,
	}, page)
	if err != nil {
		return err
	}
	return writeList(c, a.canonicalConfirm(c, by), objects, next)
}

func (a *api) getConfirm(c echo.Context, by domain.Ref) error {
	object, err := a.confirmObject(c, by, param(c, "id"))
	if err != nil {
		return err
	}
	return writeObject(c, http.StatusOK, nil, object)
}

func (a *api) cancelConfirm(c echo.Context, by domain.Ref) error {
	note, err := a.readNote(c)
	if err != nil {
		return err
	}
	cancelled, err := a.service.CancelConfirm(c.Request().Context(), by, param(c, "id"), note.Reason)
	if err != nil {
		return err
	}
	object, err := a.confirmObject(c, by, cancelled.ID)
	if err != nil {
		return err
	}
	return writeObject(c, http.StatusOK, nil, object)
}

// confirmObject finds a confirm, in the form asked for.
func (a *api) confirmObject(c echo.Context, by domain.Ref, id string) ([]byte, error) {
	o, err := a.service.ConfirmJSON(c.Request().Context(), by, id)
	if err != nil {
		return nil, err
	}
	return confirmObject(c, o)
}

// confirmObject returns a confirm in the form asked for, and its content hash in
// the header ETag. The hash names the content, not the representation: it stays
// while the status changes, so no request is answered with 304.
func confirmObject(c echo.Context, o *domain.ConfirmJSON) ([]byte, error) {
	c.Response().Header().Set("ETag", `"`+o.Confirm.ContentHash+`"`)
	return inForm(c, func(native []byte) ([]byte, error) { return mplp.CanonicalConfirm(native, confirmExtra(o)) }, o.Native)
}

// canonicalConfirm projects a confirm of a list, with what is not in its native
// form.
func (a *api) canonicalConfirm(c echo.Context, by domain.Ref) projection {
	return func(native []byte) ([]byte, error) {
		var object struct {
			ID string `json:"confirm_id"`
		}
		if err := json.Unmarshal(native, &object); err != nil {
			return nil, err
		}
		found, err := a.service.ConfirmJSON(c.Request().Context(), by, object.ID)
		if err != nil {
			return nil, err
		}
		return mplp.CanonicalConfirm(native, confirmExtra(found))
	}
}

// confirmExtra is what only the canonical form says of a confirm; the native
// one leaves it to the outcome.
func confirmExtra(o *domain.ConfirmJSON) mplp.ConfirmExtra {
	x := mplp.ConfirmExtra{ApprovalKey: o.Confirm.ApprovalKey, ExpiresAt: o.Confirm.ExpiresAt}
	if len(o.Decisions) == 0 || o.Confirm.Imported {
		return x
	}
	last := o.Decisions[len(o.Decisions)-1]
	x.Cause, x.UserEditContent = string(last.Cause), last.UserEditContent
	for _, d := range last.Actions {
		x.Decisions = append(x.Decisions, mplp.ActionDecision{Type: d.Type, Name: d.Name, Args: d.Args, Message: d.Message})
	}
	return x
}
