package web

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/url"
	"strings"

	"github.com/labstack/echo/v4"

	"countersign/domain"
	"countersign/domain/credential"
	"countersign/views"
)

// A form that comes when its session is over does not count. What was typed into
// it goes on in the sign-in form, sealed for who typed it, and is shown in its
// own form once that person has signed in. Nothing is kept here meanwhile, and
// signing in sends nothing: what is shown again is shown as it is now, and its
// buttons are to be pressed again.

// keptField is the hidden field of the sign-in form with what was typed.
const keptField = "kept"

// maxKept is the size of a sign-in form in bytes that brings a form along: what
// is sealed takes a third more.
const maxKept = 2 * maxForm

// kept is a form that did not count.
type kept struct {
	To     string // where it was posted
	Fields url.Values
}

// showAgain renders a form as it is now with what was sent, and why that did not
// count.
type showAgain func(v *visit, status int, wrong views.Errors) error

// formKey is what the hidden field csrf holds in the forms of a visit: the
// session's token, and whose form it is.
func (v *visit) formKey() string { return credential.FormToken(v.token) + "." + v.who.ID }

// splitKey takes a formKey apart.
func splitKey(key string) (token, author string) {
	token, author, _ = strings.Cut(key, ".")
	return token, author
}

// keep answers a form of somebody who is not signed in any more. Scripts are told
// to send it again as browsers do: they could not show the sign-in page.
func (s *Server) keep(c echo.Context) error {
	if isHTMX(c) {
		return s.toSignIn(c)
	}
	if err := parseForm(c, maxForm); err != nil {
		return err
	}
	r := c.Request()
	_, author := splitKey(field(c, csrfField))
	r.PostForm.Del(csrfField)
	words := new(bytes.Buffer)
	as := json.NewEncoder(words)
	as.SetEscapeHTML(false) // which would take twice the room
	if err := as.Encode(kept{To: r.URL.RequestURI(), Fields: r.PostForm}); err != nil {
		return err
	}
	sealed, err := s.svc.Keep(r.Context(), author, words.Bytes())
	if err != nil {
		return err
	}
	if sealed == "" {
		return s.toSignIn(c)
	}
	return s.showLogin(c, http.StatusUnauthorized, views.SignInView{Next: cameFrom(r), Kept: sealed})
}

// resume shows the form again that a sign-in brought along. False: there is none
// for this user.
func (s *Server) resume(c echo.Context, session string, view views.SignInView) (shown bool, err error) {
	visitor, err := s.svc.SessionUser(c.Request().Context(), session)
	if err != nil {
		return false, err
	}
	begun, err := s.sessions.Get(c.Request(), s.sessions.name)
	if err != nil {
		return false, err
	}
	begun.Values[visitorKey{}] = visitor // for the page of what is refused
	words, err := s.svc.Kept(c.Request().Context(), visitor.Who.Ref, view.Kept)
	if err != nil {
		return false, err
	}
	var form kept
	if json.Unmarshal(words, &form) != nil {
		return false, nil
	}
	to, err := url.ParseRequestURI(form.To)
	if err != nil {
		return false, nil
	}
	r := c.Request().Clone(c.Request().Context())
	r.URL, r.PostForm = to, form.Fields
	at := s.echo.NewContext(r, c.Response())
	s.echo.Router().Find(http.MethodPost, echo.GetPath(r), at)
	again := s.again[at.Path()]
	if again == nil {
		return false, nil
	}
	v := &visit{Context: at, Visitor: visitor, who: visitor.Who, token: session, address: view.Next}
	err = again(v, http.StatusOK, views.Errors{"": "Your session had ended, so nothing of this has counted. What you typed is in the form: look once more, and send it."})
	if domain.ErrorCode(err) == domain.CodeNotFound {
		return false, nil
	}
	return err == nil, err
}

// uncounted is for the page of a form that its sender has no more, and why.
func uncounted(why string) *views.Notice {
	return &views.Notice{Tone: views.ToneWarn, Title: "What you sent did not count", Detail: why}
}

// outdated answers a form that the reader has from an earlier session of theirs.
func (s *Server) outdated(v *visit, again showAgain) error {
	if _, author := splitKey(v.field(csrfField)); again == nil || author != v.who.ID {
		return staleForm()
	}
	return again(v, http.StatusForbidden, views.Errors{"": "You have signed in anew since you opened this page, so nothing of this has counted. What you typed is in the form: look once more, and send it."})
}
