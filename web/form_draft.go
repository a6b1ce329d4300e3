package web

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/url"

	"github.com/labstack/echo/v4"

	"countersign/domain"
	"countersign/views"
)

// A form that comes when its session is over does not count. What was typed into
// it goes on in the sign-in form, sealed for who typed it, and is shown in its
// own form once that person has signed in. Nothing is kept here meanwhile, and
// signing in sends nothing: what is shown again is shown as it is now, and its
// buttons are to be pressed again.

// draftField is the hidden field of the sign-in form with what was typed.
const draftField = "kept"

// maxDraftForm is the size of a sign-in form in bytes that brings a form along: what
// is sealed takes a third more.
const maxDraftForm = 2 * maxForm

// formDraft is a form that did not count.
type formDraft struct {
	To     string // where it was posted
	Fields url.Values
}

// renderDraft renders a form as it is now with what was sent, and why that did not
// count.
type renderDraft func(v *visit, status int, wrong views.Errors) error

// saveDraft answers a form of somebody who is not signed in any more. Scripts are told
// to send it again as browsers do: they could not show the sign-in page.
func (s *Server) saveDraft(c echo.Context) error {
	if isHTMX(c) {
		return s.redirectToLogin(c)
	}
	if err := parseForm(c, maxForm); err != nil {
		return err
	}
	r := c.Request()
	_, author := splitCSRFToken(field(c, csrfField))
	r.PostForm.Del(csrfField)
	words := new(bytes.Buffer)
	as := json.NewEncoder(words)
	as.SetEscapeHTML(false) // which would take twice the room
	if err := as.Encode(formDraft{To: r.URL.RequestURI(), Fields: r.PostForm}); err != nil {
		return err
	}
	sealed, err := s.svc.SealDraft(r.Context(), author, words.Bytes())
	if err != nil {
		return err
	}
	if sealed == "" {
		return s.redirectToLogin(c)
	}
	return s.showLogin(c, http.StatusUnauthorized, views.SignInView{Next: returnPath(r), Kept: sealed})
}

// resumeDraft shows the form again that a sign-in brought along. False: there is none
// for this user.
func (s *Server) resumeDraft(c echo.Context, session string, view views.SignInView) (shown bool, err error) {
	visitor, err := s.svc.SessionUser(c.Request().Context(), session)
	if err != nil {
		return false, err
	}
	begun, err := s.sessions.Get(c.Request(), s.sessions.name)
	if err != nil {
		return false, err
	}
	begun.Values[visitorKey{}] = visitor // for the page of what is refused
	words, err := s.svc.OpenDraft(c.Request().Context(), visitor.Principal.Ref, view.Kept)
	if err != nil {
		return false, err
	}
	var form formDraft
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
	again := s.drafts[at.Path()]
	if again == nil {
		return false, nil
	}
	v := &visit{Context: at, Visitor: visitor, user: visitor.Principal, token: session, address: view.Next}
	err = again(v, http.StatusOK, views.Errors{"": "Your session expired before this was sent. Check it and send again."})
	if domain.ErrorCode(err) == domain.CodeNotFound {
		return false, nil
	}
	return err == nil, err
}

// notSubmittedNotice is for the page of a form that its sender has no more, and why.
func notSubmittedNotice(why string) *views.Notice {
	return &views.Notice{Tone: views.ToneWarn, Title: "Nothing was saved", Detail: why}
}

// staleTokenForm answers a form that was rendered in an earlier session of the
// same user.
func (s *Server) staleTokenForm(v *visit, again renderDraft) error {
	if _, author := splitCSRFToken(v.field(csrfField)); again == nil || author != v.user.ID {
		return errStaleToken()
	}
	return again(v, http.StatusForbidden, views.Errors{"": "You signed in again since you opened this page. Check it and send again."})
}
