package web

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"countersign/web/route"
)

// Addresses that monitors ask.
const (
	healthPath = "/healthz"
	readyPath  = "/readyz"
)

func (s *Server) mountHealth() {
	for _, method := range []string{http.MethodGet, http.MethodHead} {
		s.table.Add(method, healthPath, route.Public, s.health)
		s.table.Add(method, readyPath, route.Public, s.readiness)
	}
}

// health says that the process answers.
func (s *Server) health(c echo.Context) error { return c.String(http.StatusOK, "ok\n") }

// readiness says whether the server can work: database, schema and assets. Why
// not is for the operator's log.
func (s *Server) readiness(c echo.Context) error {
	missing := s.assets.Missing()
	var err error
	if s.ready != nil {
		err = s.ready(c.Request().Context())
	}
	if err == nil && len(missing) == 0 {
		return c.String(http.StatusOK, "ready\n")
	}
	s.logger.ErrorContext(c.Request().Context(), "not ready", "request_id", requestID(c), "err", err, "missing_assets", missing)
	return c.String(http.StatusServiceUnavailable, "not ready\n")
}
