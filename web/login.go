package web

import (
	"fmt"
	"log/slog"
	"net/http"
	"strconv"

	"github.com/labstack/echo/v4"

	"countersign/domain"
	"countersign/views"
	"countersign/web/route"
)

func (s *Server) mountDoors() {
	s.table.Add(http.MethodGet, "/login", route.Public, s.loginPage)
	s.table.Add(http.MethodPost, "/login", route.Public, s.few(s.login))
	s.table.Add(http.MethodPost, "/logout", route.Known, s.logout)
	for _, path := range []string{"/setup", "/password"} {
		s.table.Add(http.MethodGet, path, route.Public, s.linkPage)
		s.table.Add(http.MethodPost, path, route.Public, s.few(s.useLink))
	}
}

func (s *Server) loginPage(c echo.Context) error {
	next := ownPath(c.QueryParam("next"))
	if _, err := s.visit(c); err == nil {
		return c.Redirect(http.StatusSeeOther, next)
	}
	return s.showLogin(c, http.StatusOK, views.SignInView{Next: next})
}

func (s *Server) showLogin(c echo.Context, status int, view views.SignInView) error {
	known, err := s.svc.HasUsers(c.Request().Context())
	if err != nil {
		return err
	}
	view.FirstRun = !known
	token, err := s.openDoor(c)
	if err != nil {
		return err
	}
	return s.showDoor(c, status, "Sign in", token, views.SignIn(view))
}

func (s *Server) login(c echo.Context) error {
	if err := s.readDoor(c); err != nil {
		return err
	}
	view := views.SignInView{Username: field(c, "username"), Next: ownPath(field(c, "next")), Kept: field(c, keptField)}
	token, user, err := s.svc.SignIn(c.Request().Context(), view.Username, c.Request().PostForm.Get("password"),
		domain.Client{Address: c.RealIP(), Browser: c.Request().UserAgent()})
	switch code := domain.ErrorCode(err); {
	case code == domain.CodeUnauthenticated || code == domain.CodeRateLimited:
		// The name is left out: people type their password into its field.
		s.logger.WarnContext(c.Request().Context(), "sign-in refused", "request_id", requestID(c), "remote", c.RealIP(), "code", string(code))
		view.Error = domain.AsError(err).Message
		retryAfter(c, err)
		return s.showLogin(c, statusOf(err), view)
	case err != nil:
		return err
	}
	if err := s.signIn(c, token); err != nil {
		return err
	}
	s.logSignIn(c, user)
	if view.Kept != "" {
		if shown, err := s.resume(c, token, view); shown || err != nil {
			return err
		}
	}
	return goTo(c, view.Next)
}

// retryAfter tells programs when what was refused may be tried again.
func retryAfter(c echo.Context, err error) {
	if wait := domain.AsError(err).RetryAfter; wait > 0 {
		c.Response().Header().Set(echo.HeaderRetryAfter, strconv.Itoa(int(wait.Seconds())))
	}
}

func (s *Server) logSignIn(c echo.Context, user *domain.User) {
	s.logger.LogAttrs(c.Request().Context(), slog.LevelInfo, "signed in",
		slog.String("request_id", requestID(c)), slog.String("user_id", user.ID), slog.String("remote", c.RealIP()))
}

// logout takes the form token of any session, unlike every other form: it has to
// work from a page that an earlier session drew, too, and somebody who leaves must
// not stay signed in because the page is old. Another site cannot press the button:
// ownOrigin refuses what does not come from a page of this server.
func (s *Server) logout(c echo.Context) error {
	v, err := s.visit(c)
	if err != nil {
		return err
	}
	release, err := s.readForm(v)
	if err != nil {
		return err
	}
	defer release()
	if v.field(csrfField) == "" {
		return staleForm()
	}
	if err := s.signOut(v); domain.ErrorCode(err) == domain.CodeEvidenceUnavailable {
		return &domain.Error{Code: domain.CodeEvidenceUnavailable, Err: err,
			Message: fmt.Sprintf("This browser is signed out. The server could not store that: a copy of its cookie works until %d minutes after it was used last.", int(domain.SessionIdle.Minutes()))}
	} else if err != nil {
		return err
	}
	s.logger.InfoContext(v.ctx(), "signed out", "request_id", requestID(v), "user_id", v.who.ID)
	return goTo(v, "/login")
}
