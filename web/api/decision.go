package api

import (
	"net/http"
	"regexp"

	"github.com/labstack/echo/v4"

	"countersign/domain"
	"countersign/domain/mplp"
	"countersign/web/route"
)

func (a *api) decisions(add adder) {
	needs := route.Capability(domain.ConfirmApprove, domain.ConfirmReject)
	add(http.MethodPost, "/confirms/:id/decisions", needs, a.postDecision)
	add(http.MethodPatch, "/confirms/:id", needs, a.patchConfirm)
}

func (a *api) postDecision(c echo.Context, by domain.Ref) error {
	in, err := read(a, c, mplp.ParseDecision)
	if err != nil {
		return err
	}
	object, err := a.decide(c, by, in)
	if err != nil {
		return err
	}
	return writePosted(c, true, confirmPath(param(c, "id")), nil, object)
}

// patchConfirm takes S2's shape: the decision appended to the document, and
// the status it leads to (requirements F-10).
func (a *api) patchConfirm(c echo.Context, by domain.Ref) error {
	in, err := read(a, c, mplp.ParseDecisionPatch)
	if err != nil {
		return err
	}
	if in.ContentHash, err = ifMatch(c); err != nil {
		return err
	}
	object, err := a.decide(c, by, in)
	if err != nil {
		return err
	}
	return writeObject(c, http.StatusOK, nil, object)
}

func (a *api) decide(c echo.Context, by domain.Ref, in *mplp.DecisionPost) ([]byte, error) {
	o, err := a.service.DecideObject(c.Request().Context(), by, param(c, "id"), domain.DecisionFromJSON(in))
	if err != nil {
		return nil, err
	}
	if err := warn(c, in.Warnings); err != nil {
		return nil, err
	}
	return confirmObject(c, o)
}

var entityTag = regexp.MustCompile(`^"?(sha256:[0-9a-f]{64})"?$`)

// ifMatch is the content hash that the header If-Match names.
func ifMatch(c echo.Context) (string, error) {
	header := c.Request().Header.Get("If-Match")
	if header == "" {
		return "", domain.Invalid("If-Match", "required", "Name the content hash of what you decide on in If-Match.")
	}
	tag := entityTag.FindStringSubmatch(header)
	if tag == nil {
		return "", domain.Invalid("If-Match", "pattern", "If-Match is one content hash in quotes: sha256: and 64 hexadecimal digits.")
	}
	return tag[1], nil
}
