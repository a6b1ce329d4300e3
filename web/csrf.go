package web

import (
	"net/http"
	"strings"

	"github.com/gorilla/sessions"
	"github.com/labstack/echo/v4"

	"countersign/domain"
	"countersign/domain/credential"
)

// csrfField is the hidden field with the CSRF token.
const csrfField = "csrf"

// errStaleToken answers a form whose token is not that of the session.
func errStaleToken() error {
	return &failure{status: http.StatusForbidden, title: "This page expired",
		message: "You signed in again since you opened it. Reload the page and try again."}
}

// csrfToken returns the value of csrfField: a token of the session and the id of
// the user whose form it is.
func (v *visit) csrfToken() string { return credential.FormToken(v.token) + "." + v.user.ID }

// splitCSRFToken splits the value of csrfField.
func splitCSRFToken(value string) (token, author string) {
	token, author, _ = strings.Cut(value, ".")
	return token, author
}

// hasCurrentToken reports whether the form was made for this session.
func (v *visit) hasCurrentToken() bool {
	token, _ := splitCSRFToken(v.field(csrfField))
	return credential.CheckFormToken(v.token, token)
}

// anonTokenTTL is how long a form for signing in may stay open. Without a session
// its token comes from a cookie of its own.
const anonTokenTTL = domain.SessionIdleTimeout

func (s *Server) anonCookieName() string { return cookieName("countersign-door", s.https()) }

// issueAnonToken returns the token for a form before sign-in and sets its cookie.
func (s *Server) issueAnonToken(c echo.Context) (string, error) {
	if cookie, err := c.Cookie(s.anonCookieName()); err == nil && cookie.Value != "" {
		return credential.FormToken(cookie.Value), nil
	}
	token, err := credential.NewToken(nil)
	if err != nil {
		return "", err
	}
	options := s.anonCookie
	c.SetCookie(sessions.NewCookie(s.anonCookieName(), token.Text, &options))
	return credential.FormToken(token.Text), nil
}

// readAnonForm reads a form that was sent before sign-in and checks its token.
func (s *Server) readAnonForm(c echo.Context) error {
	if err := parseForm(c, maxDraftForm); err != nil {
		return err
	}
	cookie, err := c.Cookie(s.anonCookieName())
	if err != nil || !credential.CheckFormToken(cookie.Value, field(c, csrfField)) {
		return errStaleToken()
	}
	return nil
}
