package api

import (
	"bytes"
	"net/http"
	"time"

	"github.com/labstack/echo/v4"

	"countersign/domain"
	"countersign/web/route"
)

func (a *api) learning(add adder) {
	add(http.MethodGet, "/learning-samples", route.Capability(domain.TraceRead), a.getLearningSamples)
}

const lines = "application/x-ndjson"

// getLearningSamples gives a page of samples as a list, or all from the cursor
// on as lines.
func (a *api) getLearningSamples(c echo.Context, by domain.Ref) error {
	page, err := page(c)
	if err != nil {
		return err
	}
	samples, next, err := a.service.LearningSamples(c.Request().Context(), by, page)
	if err != nil {
		return err
	}
	if !accepts(c, lines) {
		return writeList(c, nil, samples, next)
	}
	c.Response().Header().Set(echo.HeaderContentType, lines)
	c.Response().WriteHeader(http.StatusOK)
	for {
		if err := writeLines(c, samples); err != nil {
			return err // the caller is gone
		}
		if page.Cursor = next; next == "" {
			return nil
		}
		samples, next, err = a.service.LearningSamples(c.Request().Context(), by, page)
		if err != nil {
			if c.Request().Context().Err() == nil {
				a.fault(requestID(c), c.Path(), err)
			}
			panic(http.ErrAbortHandler) // or half of the samples would look like all
		}
	}
}

// writeLines gives each page as long as another answer would have in all.
func writeLines(c echo.Context, samples [][]byte) error {
	if err := http.NewResponseController(c.Response()).SetWriteDeadline(time.Now().Add(patience)); err != nil {
		return err
	}
	if len(samples) == 0 {
		return nil
	}
	_, err := c.Response().Write(append(bytes.Join(samples, []byte("\n")), '\n'))
	return err
}
