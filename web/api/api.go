// Package api is the JSON interface under /api/v1: what agents, and scripts
// with a key that may decide, talk to. Handlers are a straight line: read the
// request, call one use case of the service, write what it gave. The service
// decides; nothing here does.
//
// Every refusal is a problem document (RFC 9457). Only keys are accepted:
// cookies never work here, so that no page of another site can act through a
// reviewer's browser.
package api

import (
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"runtime/debug"
	"strings"

	"github.com/labstack/echo/v4"

	"countersign/domain"
	"countersign/domain/credential"
	"countersign/web/budget"
	"countersign/web/route"
)

// Options are what the interface needs.
type Options struct {
	Service *domain.Service
	Logger  *slog.Logger // hears of faults of the server; nil: nobody does
	// Waiting is told when callers begin (1) or end (-1) to wait, by kind:
	// long-poll, sse or websocket. Nil: nobody is.
	Waiting func(kind string, by int)
}

// bodiesEach and bodiesInAll are how many of the largest bodies are in memory at
// once, for one key and for the server.
const (
	bodiesEach  = 2
	bodiesInAll = 16
)

// prefix is where everything here is mounted.
const prefix = "/api/v1"

type api struct {
	service    *domain.Service
	logger     *slog.Logger
	waits      *waitLimiter
	createRate *rateLimiter
	// commandRate are those that come over sockets.
	commandRate *rateLimiter
	bodies      *budget.Budget
}

// handler answers a request of the principal that by names. Whether its key is
// still in force, the use case says that it calls: one that answers without is
// wrapped in known.
type handler func(c echo.Context, by domain.Ref) error

// Mount registers every address of the interface.
func Mount(t *route.Table, o Options) {
	limits := o.Service.Limits()
	bodies := int64(max(limits.PlanBody, limits.Body))
	a := &api{
		service: o.Service, logger: o.Logger,
		waits:      newWaitLimiter(o.Service.Limits, o.Waiting),
		createRate: newRateLimiter(o.Service.Limits, o.Service.Now), commandRate: newRateLimiter(o.Service.Limits, o.Service.Now),
		bodies: budget.New(bodiesEach*bodies, bodiesInAll*bodies),
	}
	if a.logger == nil {
		a.logger = slog.New(slog.DiscardHandler)
	}
	a.addRoutes(t)
}

// guard lets a handler run for callers with a valid key, and answers whatever
// error or panic comes out of it.
func (a *api) guard(h handler) echo.HandlerFunc {
	run := func(c echo.Context) (err error) {
		defer releaseBody(c)
		defer recoverPanic(&err)
		requestID(c)
		c.Response().Header().Set(echo.HeaderCacheControl, "no-store")
		query, malformed := url.ParseQuery(c.Request().URL.RawQuery)
		by, err := authenticate(a.service, c.Request(), query)
		if err != nil {
			return err
		}
		route.SetPrincipal(c, by)
		err = checkQuery(query, malformed)
		if err == nil {
			err = h(c, by)
		}
		return a.authErrorFirst(c, by, err)
	}
	return func(c echo.Context) error {
		if err := run(c); err != nil {
			a.fail(c, err)
		}
		return nil
	}
}

// requirePrincipal lets a handler run only for a principal that there is now.
func (a *api) requirePrincipal(h handler) handler {
	return func(c echo.Context, by domain.Ref) error {
		if _, err := a.service.Principal(c.Request().Context(), by); err != nil {
			return err
		}
		return h(c, by)
	}
}

// authErrorFirst is what a refusal has to say before anything else: that the key is not
// in force any more.
func (a *api) authErrorFirst(c echo.Context, by domain.Ref, refused error) error {
	if refused == nil || c.Response().Committed {
		return refused
	}
	if _, err := a.service.Principal(c.Request().Context(), by); domain.ErrorCode(err) == domain.CodeUnauthenticated {
		return err
	}
	return refused
}

// recoverPanic makes an error of a panic, with the stack for the operator's log.
func recoverPanic(err *error) {
	if v := recover(); v == http.ErrAbortHandler {
		panic(v)
	} else if v != nil {
		*err = fmt.Errorf("panic: %v\n%s", v, debug.Stack())
	}
}

// fail answers a request that went wrong. A caller who has left gets no answer,
// and that is nobody's fault.
func (a *api) fail(c echo.Context, err error) {
	ctx := c.Request().Context()
	if ctx.Err() != nil || c.Response().Committed {
		return
	}
	p := newProblem(c, err)
	if p.Status >= http.StatusInternalServerError {
		a.logger.ErrorContext(ctx, "request failed", "request_id", p.RequestID, "method", c.Request().Method, "route", c.Path(), "error", err)
	}
	p.write(c)
}

// authenticate finds whose key stands in the Authorization header. A key in the
// address is refused even when it is valid: addresses end up in logs and
// histories.
func authenticate(service *domain.Service, r *http.Request, query url.Values) (domain.Ref, error) {
	for _, values := range query {
		for _, v := range values {
			if _, _, err := credential.ParseKey(v); err == nil {
				return domain.Ref{}, &domain.Error{Code: domain.CodeUnauthenticated,
					Message: "Send the key in the Authorization header, not in the address. Revoke this key, because addresses are logged."}
			}
		}
	}
	return service.AuthenticateCached(r.Context(), bearer(r))
}

// bearer is the token of the one Authorization header, or of the handshake of a
// socket; empty if there is none.
func bearer(r *http.Request) string {
	headers := r.Header.Values(echo.HeaderAuthorization)
	if len(headers) == 0 && isUpgrade(r) {
		return protocolKey(r)
	}
	if len(headers) != 1 {
		return ""
	}
	scheme, token, _ := strings.Cut(headers[0], " ")
	if !strings.EqualFold(scheme, "Bearer") {
		return ""
	}
	return strings.TrimSpace(token)
}

// param is a part of the path as its sender meant it: the router leaves the
// escapes of paths that were sent in an unusual form.
func param(c echo.Context, name string) string {
	value := c.Param(name)
	if c.Request().URL.RawPath == "" {
		return value
	}
	if plain, err := url.PathUnescape(value); err == nil {
		return plain
	}
	return value
}
