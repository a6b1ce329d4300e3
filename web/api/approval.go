package api

import (
	"net/http"
	"net/url"
	"time"

	"github.com/labstack/echo/v4"

	"countersign/domain"
	"countersign/domain/mplp"
)

// approval is the answer to an approval request.
type approval struct {
	ApprovalKey string        `json:"approval_key"`
	ConfirmID   string        `json:"confirm_id"`
	Status      domain.Status `json:"status"`
	ContentHash string        `json:"content_hash"`
	ExpiresAt   string        `json:"expires_at"` // every tool call has a deadline
}

func (a *api) postApproval(c echo.Context, by domain.Ref) error {
	post := func() (*domain.PostedConfirm, error) {
		in, err := read(a, c, mplp.ParseApproval)
		if err != nil {
			return nil, err
		}
		return a.service.PostApproval(c.Request().Context(), by, in)
	}
	decided := func(o *domain.Outcome) error { return writeApprovalOutcome(c, o) }
	return a.postAndWait(c, by, post, decided, func(posted *domain.PostedConfirm) error {
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
	})
}

func (a *api) getApproval(c echo.Context, by domain.Ref) error {
	ask := func(wait time.Duration) (*domain.Outcome, error) {
		return a.service.Approval(c.Request().Context(), by, param(c, "key"), wait)
	}
	return longPoll(a, c, by, ask, func(o *domain.Outcome) error { return writeApprovalOutcome(c, o) })
}

// decideApproval takes the approval flow's approval command and answers with
// the outcome.
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
