package api

import (
	"net/http"
	"strconv"

	"github.com/labstack/echo/v4"

	"countersign/domain"
)

// getCheckpoint returns the newest checkpoint as the signed text that it is.
func (a *api) getCheckpoint(c echo.Context, by domain.Ref) error {
	signed, err := a.service.Checkpoint(c.Request().Context(), by)
	if err != nil {
		return err
	}
	return c.Blob(http.StatusOK, "text/plain; charset=utf-8", []byte(signed))
}

func (a *api) getConsistency(c echo.Context, by domain.Ref) error {
	from, err := logSize(c, "from", 1)
	if err != nil {
		return err
	}
	to, err := logSize(c, "to", 0)
	if err != nil {
		return err
	}
	growth, err := a.service.ConsistencyProof(c.Request().Context(), by, from, to)
	if err != nil {
		return err
	}
	return writeJSON(c, http.StatusOK, growth)
}

// logSize reads a parameter that is a number of log entries.
func logSize(c echo.Context, name string, absent int64) (int64, error) {
	text := c.QueryParam(name)
	if text == "" {
		return absent, nil
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < 1 {
		return 0, domain.Invalid(name, "type_error", "%s must be a number of log entries, 1 or more.", name)
	}
	return n, nil
}

func (a *api) getEvidenceKeys(c echo.Context, by domain.Ref) error {
	keys, err := a.service.EvidenceKeys(c.Request().Context(), by)
	if err != nil {
		return err
	}
	return writeJSON(c, http.StatusOK, struct {
		Items []domain.SigningKey `json:"items"`
	}{keys})
}

// getConfirmBundle returns a bundle as it was written: no byte of it may differ.
func (a *api) getConfirmBundle(c echo.Context, by domain.Ref) error {
	bundle, err := a.service.ConfirmBundle(c.Request().Context(), by, param(c, "id"))
	if err != nil {
		return err
	}
	return writeBytes(c, http.StatusOK, echo.MIMEApplicationJSON, bundle)
}
