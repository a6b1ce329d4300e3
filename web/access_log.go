package web

import (
	"context"
	"log/slog"
	"net/http"
	"time"

	"github.com/google/uuid"
	"github.com/labstack/echo/v4"
	"github.com/labstack/echo/v4/middleware"

	"countersign/domain"
	"countersign/web/route"
)

// setRequestID sets a new request id. One that a client sends could be anything,
// and would be in the log.
func setRequestID(answer http.Header) { answer.Set(echo.HeaderXRequestID, uuid.NewString()) }

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

// accessLog logs every request after it was answered, and calls the observer.
// Queries are left out: links carry one-time tokens in them.
func (s *Server) accessLog() echo.MiddlewareFunc {
	return middleware.RequestLoggerWithConfig(middleware.RequestLoggerConfig{
		HandleError: true,
		LogMethod:   true, LogURIPath: true, LogRoutePath: true, LogStatus: true, LogRemoteIP: true, LogResponseSize: true,
		LogValuesFunc: func(c echo.Context, v middleware.RequestLoggerValues) error {
			a := requestRecord{
				id: requestID(c), method: v.Method, path: v.URIPath, status: v.Status, remote: v.RemoteIP, bytes: v.ResponseSize,
				began: v.StartTime,
			}
			if s.table.Known(v.Method, v.RoutePath) {
				a.route = v.RoutePath
			}
			a.by, a.known = route.Principal(c)
			s.logRequest(a)
			return nil
		},
	})
}

// requestRecord is a request that was answered, as far as it is logged.
type requestRecord struct {
	id, method, path string
	route            string // empty: none is registered
	status           int
	remote           string
	bytes            int64
	began            time.Time
	by               domain.Ref
	known            bool // by is
}

// logRequest logs a request and tells the observer.
func (s *Server) logRequest(a requestRecord) {
	now := time.Now()
	seen := Request{Route: a.route, Status: a.status, Took: now.Sub(a.began)}
	if a.route != "" {
		seen.Method = a.method
	}
	s.observed(seen)
	ctx, log := context.Background(), s.logger.Handler()
	if !log.Enabled(ctx, slog.LevelInfo) {
		return
	}
	facts := append(make([]slog.Attr, 0, 9),
		slog.String("request_id", a.id), slog.String("method", a.method), slog.String("path", a.path),
		slog.String("route", a.route), slog.Int("status", a.status), slog.Duration("took", seen.Took),
		slog.String("remote", a.remote), slog.Int64("bytes", a.bytes),
	)
	if a.known {
		facts = append(facts, slog.String("principal", a.by.String()))
	}
	line := slog.NewRecord(now, slog.LevelInfo, "request", 0) // from where in the program says nothing
	line.AddAttrs(facts...)
	_ = log.Handle(ctx, line) // there is nobody to tell that the log is gone
}
