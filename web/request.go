package web

import (
	"log/slog"
	"time"

	"github.com/google/uuid"
	"github.com/labstack/echo/v4"
	"github.com/labstack/echo/v4/middleware"

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
		LogMethod:   true, LogURIPath: true, LogRoutePath: true, LogStatus: true, LogLatency: true, LogRemoteIP: true, LogResponseSize: true,
		LogValuesFunc: func(c echo.Context, v middleware.RequestLoggerValues) error {
			seen := Request{Status: v.Status, Took: v.Latency}
			if s.table.Known(v.Method, v.RoutePath) {
				seen.Method, seen.Route = v.Method, v.RoutePath
			}
			s.observed(seen)
			facts := []slog.Attr{
				slog.String("request_id", requestID(c)), slog.String("method", v.Method), slog.String("path", v.URIPath),
				slog.String("route", seen.Route), slog.Int("status", v.Status), slog.Duration("took", v.Latency),
				slog.String("remote", v.RemoteIP), slog.Int64("bytes", v.ResponseSize),
			}
			if by, known := route.Principal(c); known {
				facts = append(facts, slog.String("principal", by.String()))
			}
			s.logger.LogAttrs(c.Request().Context(), slog.LevelInfo, "request", facts...)
			return nil
		},
	})
}
