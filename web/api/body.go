package api

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"mime"
	"net/http"
	"strings"

	"github.com/labstack/echo/v4"

	"countersign/domain"
	"countersign/domain/mplp"
)

// body reads a JSON body of at most limit bytes.
func (a *api) body(c echo.Context, limit int) ([]byte, error) {
	r := c.Request()
	if coding := r.Header.Get(echo.HeaderContentEncoding); coding != "" && !strings.EqualFold(coding, "identity") {
		return nil, unacceptable(codeUnsupportedMediaType, echo.HeaderContentEncoding, "const", "Send the body as it is, without Content-Encoding.")
	}
	if !isJSON(r.Header.Get(echo.HeaderContentType)) {
		c.Response().Header().Set(echo.HeaderAccept, echo.MIMEApplicationJSON)
		return nil, unacceptable(codeUnsupportedMediaType, echo.HeaderContentType, "const", "Send Content-Type: application/json.")
	}
	var data bytes.Buffer
	data.Grow(int(min(max(r.ContentLength, 0), trustedLength)) + bytes.MinRead)
	_, err := data.ReadFrom(http.MaxBytesReader(c.Response(), r.Body, int64(limit)))
	var large *http.MaxBytesError
	switch {
	case errors.As(err, &large):
		return nil, unacceptable(domain.CodeTooLarge, "", "limit", fmt.Sprintf("The body is over %d bytes.", limit))
	case err != nil: // the caller broke off, or was too slow
		return nil, &mplp.SyntaxError{Message: "the body ended too early"}
	}
	_ = r.Body.Close() // all of it has come, and the server need not look for more
	return data.Bytes(), nil
}

// trustedLength is how much memory a body gets before it has come.
const trustedLength = 16 << 10

// isJSON says whether a Content-Type is JSON in UTF-8.
func isJSON(contentType string) bool {
	if contentType == echo.MIMEApplicationJSON {
		return true
	}
	mediaType, params, err := mime.ParseMediaType(contentType)
	charset := params["charset"]
	return err == nil && mediaType == echo.MIMEApplicationJSON && (charset == "" || strings.EqualFold(charset, "utf-8"))
}

// unacceptable refuses a body that is not even read, over a header or as a
// whole.
func unacceptable(code domain.Code, path, rule, message string) error {
	return &domain.Error{Code: code, Message: message, Problems: []mplp.Problem{{Path: path, Code: rule, Message: message}}}
}

// read parses a body of the usual size.
func read[T any](a *api, c echo.Context, parse func([]byte, mplp.Limits) (*T, error)) (*T, error) {
	limits := a.service.Limits()
	return readWithin(a, c, limits.Body, parse)
}

// readWithin parses a body of at most limit bytes.
func readWithin[T any](a *api, c echo.Context, limit int, parse func([]byte, mplp.Limits) (*T, error)) (*T, error) {
	data, err := a.body(c, limit)
	if err != nil {
		return nil, err
	}
	return parse(data, a.service.Limits().Wire())
}

// readNote reads an optional body whose members mean what they mean in a
// confirm, such as reason.
func (a *api) readNote(c echo.Context) (*mplp.Confirm, error) {
	if c.Request().ContentLength == 0 {
		return &mplp.Confirm{}, nil
	}
	return read(a, c, func(data []byte, l mplp.Limits) (*mplp.Confirm, error) {
		o, err := mplp.ParseObject(data, l)
		if err != nil {
			return nil, err
		}
		o.Set("target_type", mplp.String(string(domain.TargetOther)))
		return mplp.ParseConfirm(o.Bytes(), l)
	})
}

// maxWarnings is how many warnings a header has room for.
const maxWarnings = 16

// warn lists in a header what was filled or doubtful in a body.
func warn(c echo.Context, warnings []mplp.Warning) error {
	if len(warnings) == 0 {
		return nil
	}
	list := make([]finding, min(len(warnings), maxWarnings))
	for i := range list {
		list[i] = finding(warnings[i])
	}
	encoded, err := json.Marshal(list)
	if err != nil {
		return err
	}
	text := string(encoded)
	if strings.ContainsFunc(text, beyondASCII) {
		text = mplp.Escape(text, beyondASCII)
	}
	c.Response().Header().Set("Countersign-Warnings", text)
	return nil
}

// beyondASCII says whether a header cannot carry a character.
func beyondASCII(r rune) bool { return r >= 0x7f }
