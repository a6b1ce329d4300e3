package api

import (
	"bytes"
	"net/http"
	"time"

	"github.com/labstack/echo/v4"

	"countersign/domain"
)

const ndjson = "application/x-ndjson"

// getLearningSamples returns a page of samples as a list, or all from the cursor
// on as lines.
func (a *api) getLearningSamples(c echo.Context, by domain.Ref) error {
	page, err := pageParam(c)
	if err != nil {
		return err
	}
	samples, next, err := a.service.LearningSamples(c.Request().Context(), by, page)
	if err != nil {
		return err
	}
	if !accepts(c, ndjson) {
		return writeList(c, nil, samples, next)
	}
	c.Response().Header().Set(echo.HeaderContentType, ndjson)
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
				a.logStreamError(requestID(c), c.Path(), err)
			}
			panic(http.ErrAbortHandler) // or half of the samples would look like all
		}
	}
}

// writeLines writes a page of samples. Each page may take as long as another
// answer in all.
func writeLines(c echo.Context, samples [][]byte) error {
	if err := http.NewResponseController(c.Response()).SetWriteDeadline(time.Now().Add(writeTimeout)); err != nil {
		return err
	}
	if len(samples) == 0 {
		return nil
	}
	_, err := c.Response().Write(append(bytes.Join(samples, []byte("\n")), '\n'))
	return err
}
