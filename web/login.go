package web

import (
	"fmt"
	"log/slog"
	"net/http"
	"strconv"

	"github.com/labstack/echo/v4"

	"countersign/domain"
	"countersign/views"
)

func (s *Server) loginPage(c echo.Context) error {
	next := safePath(c.QueryParam("next"))
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
	token, err := s.issueAnonToken(c)
	if err != nil {
		return err
	}
	return s.showAnonPage(c, status, "Sign in", token, views.SignIn(view))
}

func (s *Server) login(c echo.Context) error {
	if err := s.readAnonForm(c); err != nil {
		return err
	}
	view := views.SignInView{Username: field(c, "username"), Next: safePath(field(c, "next")), Kept: field(c, draftField)}
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
		if shown, err := s.resumeDraft(c, token, view); shown || err != nil {
			return err
		}
	}
	return redirect(c, view.Next)
}

// retryAfter sets the header Retry-After if the refusal has a time.
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
		return errStaleToken()
	}
	if err := s.signOut(v); domain.ErrorCode(err) == domain.CodeEvidenceUnavailable {
		return &domain.Error{Code: domain.CodeEvidenceUnavailable, Err: err,
			Message: fmt.Sprintf("This browser is signed out, but the server could not save that. A copy of its cookie works until %d minutes after its last use.", int(domain.SessionIdleTimeout.Minutes()))}
	} else if err != nil {
		return err
	}
	s.logger.InfoContext(v.ctx(), "signed out", "request_id", requestID(v), "user_id", v.user.ID)
	return redirect(v, "/login")
}
