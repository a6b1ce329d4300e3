package api

import (
	"net/http"
	"regexp"

	"github.com/labstack/echo/v4"

	"countersign/domain"
	"countersign/domain/mplp"
)

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

// patchConfirm takes the risk flow's shape: the decision appended to the
// document, and the status it leads to.
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
	o, err := a.service.DecideJSON(c.Request().Context(), by, param(c, "id"), domain.DecisionFromJSON(in))
	if err != nil {
		return nil, err
	}
	if err := warn(c, in.Warnings); err != nil {
		return nil, err
	}
	return confirmObject(c, o)
}

var ifMatchPattern = regexp.MustCompile(`^"?(sha256:[0-9a-f]{64})"?$`)

// ifMatch is the content hash that the header If-Match names.
func ifMatch(c echo.Context) (string, error) {
	header := c.Request().Header.Get("If-Match")
	if header == "" {
		return "", domain.Invalid("If-Match", "required", "Send the content hash of what you decide on in If-Match.")
	}
	tag := ifMatchPattern.FindStringSubmatch(header)
	if tag == nil {
		return "", domain.Invalid("If-Match", "pattern", "If-Match must be one content hash in quotes: sha256: followed by 64 hexadecimal digits.")
	}
	return tag[1], nil
}
