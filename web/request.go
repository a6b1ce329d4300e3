package web

import (
	"context"
	"log/slog"
	"time"

	"github.com/google/uuid"
	"github.com/labstack/echo/v4"
	"github.com/labstack/echo/v4/middleware"

	"countersign/domain"
	"countersign/web/park"
	"countersign/web/route"
)

// identify gives every request an id of our own: one that a client sends could
// be anything, and would stand in the log.
func identify(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		id := uuid.NewString()
		c.Request().Header.Set(echo.HeaderXRequestID, id)
		c.Response().Header().Set(echo.HeaderXRequestID, id)
		return next(c)
	}
}

// requestID is the id that identify gave.
func requestID(c echo.Context) string { return c.Response().Header().Get(echo.HeaderXRequestID) }

// Request is what an observer is told of one that was answered.
type Request struct {
	// Method and Route are as they were registered: /confirms/:id. Both are
	// empty when nothing is registered for what was asked.
	Method, Route string
	Status        int
	Took          time.Duration // to the end of the answer, for streams of the stream
}

// access logs every request once it is answered, and tells the observer.
// Queries are left out: links carry one-time tokens in them.
func (s *Server) access() echo.MiddlewareFunc {
	return middleware.RequestLoggerWithConfig(middleware.RequestLoggerConfig{
		HandleError: true,
		LogMethod:   true, LogURIPath: true, LogRoutePath: true, LogStatus: true, LogRemoteIP: true, LogResponseSize: true,
		LogValuesFunc: func(c echo.Context, v middleware.RequestLoggerValues) error {
			a := &answered{
				id: requestID(c), method: v.Method, path: v.URIPath, status: v.Status, remote: v.RemoteIP, bytes: v.ResponseSize,
				began: park.Began(c.Request().Context(), v.StartTime),
			}
			if s.table.Known(v.Method, v.RoutePath) {
				a.route = v.RoutePath
			}
			a.by, a.known = route.Principal(c)
			rest := route.RestOf(c)
			if rest == nil {
				s.note(a)
				return nil
			}
			go rest(func(sent int64) {
				a.bytes += sent
				s.note(a)
			})
			return nil
		},
	})
}

// answered is a request that was answered, as far as it is logged.
type answered struct {
	id, method, path string
	route            string // empty: none is registered
	status           int
	remote           string
	bytes            int64
	began            time.Time
	by               domain.Ref
	known            bool // by is
}

// note logs a request and tells the observer.
func (s *Server) note(a *answered) {
	seen := Request{Route: a.route, Status: a.status, Took: time.Since(a.began)}
	if a.route != "" {
		seen.Method = a.method
	}
	s.observed(seen)
	facts := append(make([]slog.Attr, 0, 9),
		slog.String("request_id", a.id), slog.String("method", a.method), slog.String("path", a.path),
		slog.String("route", a.route), slog.Int("status", a.status), slog.Duration("took", seen.Took),
		slog.String("remote", a.remote), slog.Int64("bytes", a.bytes),
	)
	if a.known {
		facts = append(facts, slog.String("principal", a.by.String()))
	}
	s.logger.LogAttrs(context.Background(), slog.LevelInfo, "request", facts...)
}
