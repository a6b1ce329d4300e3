package web

import (
	"log/slog"

	"github.com/google/uuid"
	"github.com/labstack/echo/v4"
	"github.com/labstack/echo/v4/middleware"
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

// access logs every request once it is answered. Queries are left out: links
// carry one-time tokens in them.
func (s *Server) access() echo.MiddlewareFunc {
	return middleware.RequestLoggerWithConfig(middleware.RequestLoggerConfig{
		HandleError: true,
		LogMethod:   true, LogURIPath: true, LogStatus: true, LogLatency: true, LogRemoteIP: true, LogResponseSize: true,
		LogValuesFunc: func(c echo.Context, v middleware.RequestLoggerValues) error {
			s.logger.LogAttrs(c.Request().Context(), slog.LevelInfo, "request",
				slog.String("request_id", requestID(c)), slog.String("method", v.Method), slog.String("path", v.URIPath),
				slog.Int("status", v.Status), slog.Duration("took", v.Latency), slog.String("remote", v.RemoteIP),
				slog.Int64("bytes", v.ResponseSize))
			return nil
		},
	})
}
