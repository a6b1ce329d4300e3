package api

import (
	"net/http"
	"net/url"
	"time"

	"github.com/labstack/echo/v4"

	"countersign/domain"
	"countersign/domain/mplp"
	"countersign/web/route"
)

func (a *api) approvals(add adder) {
	add(http.MethodPost, "/approvals", route.Capability(domain.ConfirmRequest, domain.PlanExecute, domain.PlanPropose), a.creating(a.postApproval))
	add(http.MethodGet, "/approvals/:key", route.Known, a.getApproval)
	add(http.MethodPost, "/approvals/:key", route.Capability(domain.ConfirmApprove, domain.ConfirmReject), a.decideApproval)
}

// approval is the answer to an approval request.
type approval struct {
	ApprovalKey string        `json:"approval_key"`
	ConfirmID   string        `json:"confirm_id"`
	Status      domain.Status `json:"status"`
	ContentHash string        `json:"content_hash"`
	ExpiresAt   string        `json:"expires_at"` // every tool call has a deadline
}

func (a *api) postApproval(c echo.Context, by domain.Ref) error {
	in, err := read(a, c, mplp.ParseApproval)
	if err != nil {
		return err
	}
	posted, err := a.service.PostApproval(c.Request().Context(), by, in)
	if err != nil {
		return err
	}
	if err := warn(c, posted.Warnings); err != nil {
		return err
	}
	status := http.StatusOK
	if posted.Created {
		status = http.StatusCreated
	}
	confirm := posted.Confirm
	c.Response().Header().Set(echo.HeaderLocation, prefix+"/approvals/"+url.PathEscape(confirm.ApprovalKey))
	return writeJSON(c, status, approval{
		ApprovalKey: confirm.ApprovalKey, ConfirmID: confirm.ID, Status: confirm.Status,
		ContentHash: confirm.ContentHash, ExpiresAt: mplp.RenderTime(confirm.ExpiresAt),
	})
}

func (a *api) getApproval(c echo.Context, by domain.Ref) error {
	ask := func(wait time.Duration) (*domain.Outcome, error) {
		return a.service.Approval(c.Request().Context(), by, param(c, "key"), wait)
	}
	return await(a, c, by, ask, func(o *domain.Outcome) error { return writeApprovalOutcome(c, o) })
}

// decideApproval takes S4's approval command and answers with the outcome.
func (a *api) decideApproval(c echo.Context, by domain.Ref) error {
	in, err := read(a, c, mplp.ParseApprovalCommand)
	if err != nil {
		return err
	}
	o, err := a.service.DecideApproval(c.Request().Context(), by, param(c, "key"), in)
	if err != nil {
		return err
	}
	return writeApprovalOutcome(c, o)
}

func writeApprovalOutcome(c echo.Context, o *domain.Outcome) error {
	out := newOutcome(o)
	out.ApprovalKey = o.Confirm.ApprovalKey
	return writeOutcome(c, o, out)
}
