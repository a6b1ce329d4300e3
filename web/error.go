package web

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/url"
	"path"
	"strings"

	"github.com/labstack/echo/v4"

	"countersign/domain"
	"countersign/views"
	"countersign/web/api"
)

// failure is why a page cannot be given, where no refusal of the domain says it.
type failure struct {
	status         int
	title, message string
}

func (f *failure) Error() string { return f.title + ": " + f.message }

// refusals has the status and the page's heading for each code of the domain.
var refusals = map[domain.Code]failure{
	domain.CodeUnauthenticated:     {status: http.StatusUnauthorized, title: "Sign in first"},
	domain.CodeInvalidJSON:         {status: http.StatusBadRequest, title: "Not understood"},
	domain.CodeTooLarge:            {status: http.StatusRequestEntityTooLarge, title: "Too large"},
	domain.CodeInvalid:             {status: http.StatusUnprocessableEntity, title: "Please correct this"},
	domain.CodeNotFound:            {status: http.StatusNotFound, title: "Not found"},
	domain.CodeMissingCapability:   {status: http.StatusForbidden, title: "Not allowed"},
	domain.CodeSelfApproval:        {status: http.StatusForbidden, title: "Your own request"},
	domain.CodeHumanRequired:       {status: http.StatusForbidden, title: "People must decide this"},
	domain.CodeRoleNotHeld:         {status: http.StatusForbidden, title: "Another role must do this"},
	domain.CodeLocked:              {status: http.StatusLocked, title: "Locked"},
	domain.CodeAlreadyDecided:      {status: http.StatusConflict, title: "Already decided"},
	domain.CodeAlreadyVoted:        {status: http.StatusConflict, title: "You have voted"},
	domain.CodeExpired:             {status: http.StatusConflict, title: "Expired"},
	domain.CodeContentChanged:      {status: http.StatusConflict, title: "The content has changed"},
	domain.CodeConsumed:            {status: http.StatusConflict, title: "Already used"},
	domain.CodeInvalidTransition:   {status: http.StatusConflict, title: "No longer possible"},
	domain.CodeIDTaken:             {status: http.StatusConflict, title: "The name is taken"},
	domain.CodeRoleInUse:           {status: http.StatusConflict, title: "Still in use"},
	domain.CodeRateLimited:         {status: http.StatusTooManyRequests, title: "Too many attempts"},
	domain.CodeEvidenceUnavailable: {status: http.StatusServiceUnavailable, title: "Not available right now"},
	domain.CodeInternal:            {status: http.StatusInternalServerError, title: "Something went wrong"},
}

// statusOfActions is the status that answers a refusal of the domain.
func statusOf(err error) int { return refusals[domain.ErrorCode(err)].status }

// newFailureView tells an error to a person, and to whoever sent a form what
// became of it.
func newFailureView(err error, r *http.Request, requestID string) views.FailureView {
	view := views.FailureView{RequestID: requestID, BackURL: "/confirms", BackLabel: "Inbox"}
	var own *failure
	var routing *echo.HTTPError
	switch {
	case errors.As(err, &own):
		view.Status, view.Title, view.Message = own.status, own.title, own.message
	case errors.As(err, &routing):
		view.Status, view.Title = routing.Code, sentence(http.StatusText(routing.Code))
		view.Message = "There is no page at this address."
	default:
		refused := domain.AsError(err)
		known, ok := refusals[refused.Code]
		if !ok {
			known = refusals[domain.CodeInternal]
		}
		view.Status, view.Title, view.Message, view.Missing = known.status, known.title, refused.Message, string(refused.Capability)
		if errors.Is(err, domain.ErrUnproven) {
			view.Title = "It does not match the log"
		}
	}
	if view.Status >= http.StatusInternalServerError {
		view.Message += " If it happens again, give an administrator the reference below."
	}
	if isUnsafeMethod(r.Method) {
		view.After = effectNote(view.Status)
		if page, label := backTo(r.URL.EscapedPath()); page != "" {
			view.BackURL, view.BackLabel = page, label
		}
	}
	return view
}

// sentence writes a title as our own are written: HTTP has capitals in each word.
func sentence(title string) string {
	if title == "" {
		return title
	}
	return title[:1] + strings.ToLower(title[1:])
}

// effectNote reports whether what was sent counts. A server that failed may have
// failed after it wrote: then nothing but the page itself tells.
func effectNote(status int) string {
	if status >= http.StatusInternalServerError {
		return "We do not know whether this was saved. Go back and check before sending again."
	}
	return "Nothing was changed or decided."
}

// backTo is the page of the confirm or plan that a form at this address is
// about, or that it stands on; empty: none.
func backTo(form string) (page, label string) {
	object := path.Dir(form)
	switch path.Dir(object) {
	case inboxPath:
		return safePath(object), "Back to the request"
	case plansPath:
		return safePath(object), "Back to the plan"
	}
	if form == verifyPath {
		return evidencePath, "Back to the evidence"
	}
	return "", ""
}

// fail answers an error, once: as a problem document to programs, and to people
// as a page, or as a fragment where htmx asked for one. Only faults of the
// server are logged as errors.
func (s *Server) fail(err error, c echo.Context) {
	ctx := c.Request().Context()
	switch {
	case c.Response().Committed:
		return
	case errors.Is(err, context.Canceled) && ctx.Err() != nil:
		_ = c.NoContent(http.StatusServiceUnavailable) // nobody is there to read it
		return
	}
	view := newFailureView(err, c.Request(), requestID(c))
	if view.Status >= http.StatusInternalServerError {
		s.logger.LogAttrs(ctx, slog.LevelError, "request failed",
			slog.String("request_id", requestID(c)), slog.String("path", c.Request().URL.Path), slog.String("err", err.Error()))
	}
	var own *failure
	switch {
	case isAPI(c.Request().URL.Path) && errors.As(err, &own):
		api.WriteProblem(c, s.svc, echo.NewHTTPError(own.status))
		return
	case isAPI(c.Request().URL.Path):
		api.WriteProblem(c, s.svc, err)
		return
	case view.Status == http.StatusUnauthorized:
		err = s.redirectToLogin(c)
	default:
		err = s.showFailure(c, view)
	}
	if err == nil {
		return
	}
	s.logger.LogAttrs(ctx, slog.LevelError, "error page failed", slog.String("request_id", requestID(c)), slog.String("err", err.Error()))
	if !c.Response().Committed {
		_ = c.String(view.Status, view.Title+"\n") // the last resort; a reader who is gone cannot be told
	}
}

// redirectToLogin sends a browser to the sign-in page and back afterwards.
func (s *Server) redirectToLogin(c echo.Context) error {
	target := "/login"
	if back := returnPath(c.Request()); back != "/" {
		target += "?next=" + url.QueryEscape(back)
	}
	if isHTMX(c) {
		c.Response().Header().Set("HX-Redirect", target)
		return c.NoContent(http.StatusUnauthorized)
	}
	return c.Redirect(http.StatusSeeOther, target)
}

// returnPath is the page that was asked for, or that a form or a look was sent from.
func returnPath(r *http.Request) string {
	if !isUnsafeMethod(r.Method) && r.URL.Path != waitingPath {
		return safePath(r.URL.RequestURI())
	}
	if from, err := url.Parse(r.Referer()); err == nil && from.Host == r.Host {
		return safePath(from.RequestURI())
	}
	return "/"
}

// showFailure renders an error, with the navigation if its reader is known.
// Faults of the server are shown without asking it anything more.
func (s *Server) showFailure(c echo.Context, view views.FailureView) error {
	content := views.Failure(view)
	if view.Status < http.StatusInternalServerError && view.Status != http.StatusMisdirectedRequest {
		if v, err := s.visit(c); err == nil && s.show(v, view.Status, view.Title, content) == nil {
			return nil
		}
	}
	return s.showAnonPage(c, view.Status, view.Title, "", content)
}
