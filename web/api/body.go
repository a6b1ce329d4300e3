package api

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"strings"

	"github.com/labstack/echo/v4"

	"countersign/domain"
	"countersign/domain/mplp"
	"countersign/web/route"
)

// body reads a JSON body of at most limit bytes.
func (a *api) body(c echo.Context, limit int) ([]byte, error) {
	r := c.Request()
	if coding := r.Header.Get(echo.HeaderContentEncoding); coding != "" && !strings.EqualFold(coding, "identity") {
		return nil, refuseBody(codeUnsupportedMediaType, echo.HeaderContentEncoding, "const", "Send the body as it is, without Content-Encoding.")
	}
	if !isJSON(r.Header.Get(echo.HeaderContentType)) {
		c.Response().Header().Set(echo.HeaderAccept, echo.MIMEApplicationJSON)
		return nil, refuseBody(codeUnsupportedMediaType, echo.HeaderContentType, "const", "Send Content-Type: application/json.")
	}
	if r.ContentLength > int64(limit) {
		return nil, tooLarge(limit)
	}
	by, _ := route.Principal(c)
	data, release, err := a.readReserved(r.Context(), by, http.MaxBytesReader(c.Response(), r.Body, int64(limit)), r.ContentLength, limit)
	c.Set(bodyRelease, release)
	var large *http.MaxBytesError
	var refused *domain.Error
	switch {
	case errors.As(err, &large):
		return nil, tooLarge(limit)
	case errors.As(err, &refused):
		return nil, err
	case err != nil: // the caller broke off, or was too slow
		return nil, &mplp.SyntaxError{Message: "the body ended too early"}
	}
	_ = r.Body.Close() // all of it has come, and the server need not look for more
	return data, nil
}

func tooLarge(limit int) error {
	return refuseBody(domain.CodeTooLarge, "", "limit", fmt.Sprintf("The body is over %d bytes.", limit))
}

// bodyRelease is the context key of the function that frees a body's budget.
const bodyRelease = "body"

// releaseBody frees the budget of a request's body.
func releaseBody(c echo.Context) {
	if release, ok := c.Get(bodyRelease).(func()); ok {
		c.Set(bodyRelease, nil)
		release()
	}
}

// smallBody is how much of a body is read without asking for memory: no more than
// its connection takes anyway.
const smallBody = 4 << 10

// readReserved reads a body of a length, -1 if it is not known, and of limit bytes at
// the most. Its memory is reserved before it is read, until release.
func (a *api) readReserved(ctx context.Context, by domain.Ref, src io.Reader, length int64, limit int) (body []byte, release func(), err error) {
	release = func() {}
	var data bytes.Buffer
	if length < 0 {
		_, err := io.CopyN(&data, src, smallBody)
		if err == io.EOF {
			return data.Bytes(), release, nil
		} else if err != nil {
			return nil, release, err
		}
		length = int64(limit)
	}
	if length > smallBody {
		if release, err = a.bodies.Take(ctx, by, length); err != nil {
			return nil, func() {}, err
		}
	}
	if data.Len() == 0 {
		data.Grow(int(length) + bytes.MinRead)
	}
	_, err = data.ReadFrom(src)
	return data.Bytes(), release, err
}

// isJSON reports whether a Content-Type is JSON in UTF-8.
func isJSON(contentType string) bool {
	if contentType == echo.MIMEApplicationJSON {
		return true
	}
	mediaType, params, err := mime.ParseMediaType(contentType)
	charset := params["charset"]
	return err == nil && mediaType == echo.MIMEApplicationJSON && (charset == "" || strings.EqualFold(charset, "utf-8"))
}

// refuseBody refuses a body that is not even read, over a header or as a
// whole.
func refuseBody(code domain.Code, path, rule, message string) error {
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
	return parse(data, a.service.Limits().MPLP())
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
	if strings.ContainsFunc(text, isNotASCII) {
		text = mplp.Escape(text, isNotASCII)
	}
	c.Response().Header().Set("Countersign-Warnings", text)
	return nil
}

// isNotASCII reports whether r cannot be in a header.
func isNotASCII(r rune) bool { return r >= 0x7f }
