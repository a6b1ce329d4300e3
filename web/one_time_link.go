package web

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"countersign/domain"
	"countersign/views"
)

// linkPage asks whoever has a one-time link for a password: the first
// administrator, who also chooses a name, or an invited or reset user.
func (s *Server) linkPage(c echo.Context) error { return s.showLink(c, c.QueryParam("token"), nil) }

// showLink renders the form behind a one-time link. The link's secret goes on
// in a hidden field, so that the address it is posted to has none.
func (s *Server) showLink(c echo.Context, link string, refused views.Errors) error {
	user, err := s.svc.OneTimeLinkUser(c.Request().Context(), link)
	if domain.ErrorCode(err) == domain.CodeNotFound {
		known, err := s.svc.HasUsers(c.Request().Context())
		if err != nil {
			return err
		}
		return s.showAnonPage(c, http.StatusNotFound, "This link does not work", "", views.Password(views.PasswordView{Invalid: true, Setup: !known}))
	} else if err != nil {
		return err
	}
	token, err := s.issueAnonToken(c)
	if err != nil {
		return err
	}
	status := http.StatusOK
	if len(refused) > 0 {
		status = http.StatusUnprocessableEntity
	}
	view := newPasswordView(user, c.Request().URL.Path, link)
	view.Errors = refused
	if view.Setup {
		view.Username = field(c, "username")
	}
	title := "Choose a password"
	if view.Setup {
		title = "Set up"
	}
	return s.showAnonPage(c, status, title, token, views.Password(view))
}

// newPasswordView is the form for the user of a link; nil is the first
// administrator's.
func newPasswordView(user *domain.User, action, link string) views.PasswordView {
	view := views.PasswordView{Action: action, Token: link, Setup: user == nil}
	if user != nil {
		view.Username = user.Name
	}
	return view
}

func (s *Server) useLink(c echo.Context) error {
	if err := s.readAnonForm(c); err != nil {
		return err
	}
	link, form := field(c, "link"), c.Request().PostForm
	if form.Get("password") != form.Get("password_again") {
		return s.showLink(c, link, views.Errors{"password_again": "The two passwords differ."})
	}
	token, user, err := s.svc.UseOneTimeLink(c.Request().Context(), link, field(c, "username"), form.Get("password"), c.Request().UserAgent())
	switch domain.ErrorCode(err) {
	case domain.CodeNotFound:
		return s.showLink(c, link, nil)
	case domain.CodeInvalid:
		return s.showLink(c, link, problems(err, map[string]string{"username": "username", "password": "password"}))
	}
	if err != nil {
		return err
	}
	if err := s.signIn(c, token); err != nil {
		return err
	}
	s.logSignIn(c, user)
	return redirect(c, "/")
}
