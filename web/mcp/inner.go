package mcp

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"

	"github.com/labstack/echo/v4"
)

// answer records what the JSON interface answers.
type answer struct {
	status int
	header http.Header
	body   bytes.Buffer
}

func (a *answer) Header() http.Header { return a.header }

func (a *answer) WriteHeader(status int) { a.status = cmp.Or(a.status, status) }

func (a *answer) Write(text []byte) (int, error) {
	a.status = cmp.Or(a.status, http.StatusOK)
	return a.body.Write(text)
}

// call asks the JSON interface with the key of the request that a tool was called by,
// and returns the answer. A refusal is an error with its words.
func (s *server) call(ctx context.Context, method, path string, body []byte) ([]byte, error) {
	outer, ok := ctx.Value(outerKey{}).(*http.Request)
	if !ok {
		return nil, errors.New("the request is gone")
	}
	r, err := http.NewRequestWithContext(ctx, method, path, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	r.Host, r.RemoteAddr, r.RequestURI = outer.Host, outer.RemoteAddr, path
	for _, name := range []string{echo.HeaderAuthorization, echo.HeaderXForwardedFor} {
		r.Header[http.CanonicalHeaderKey(name)] = outer.Header.Values(name)
	}
	if body != nil {
		r.Header.Set(echo.HeaderContentType, echo.MIMEApplicationJSON)
	}
	a := &answer{header: http.Header{}}
	s.API.ServeHTTP(a, r)
	if a.status >= 200 && a.status < 300 {
		return a.body.Bytes(), nil
	}
	var problem struct {
		Title  string `json:"title"`
		Detail string `json:"detail"`
		Errors []struct {
			Path    string `json:"path"`
			Message string `json:"message"`
		} `json:"errors"`
	}
	_ = json.Unmarshal(a.body.Bytes(), &problem) // the status says enough
	words := cmp.Or(problem.Detail, problem.Title, http.StatusText(a.status))
	for _, e := range problem.Errors {
		if e.Message != problem.Detail {
			words += fmt.Sprintf(" %s: %s", e.Path, e.Message)
		}
	}
	return nil, errors.New(words)
}
