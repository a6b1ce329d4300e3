package web

import (
	"errors"
	"net/http"
	"net/url"
	"strings"

	"github.com/labstack/echo/v4"

	"countersign/domain"
	"countersign/domain/mplp"
	"countersign/views"
)

// maxForm is the size of a posted form in bytes.
const maxForm = 1 << 20

// Anybody may send forms without a session, and what has come of one is in memory
// until the rest has. Those larger than a sign-in by itself are so many at once.
const (
	smallForm  = 64 << 10 // bytes
	largeForms = 16
)

// formsEach and formsInAll are how many bytes of large forms are on their way at
// once from one who is signed in, and from all of them.
const (
	formsEach  = 4 * maxForm
	formsInAll = 32 * maxForm
)

// limitLargeForms answers a form of somebody who is not signed in, unless it is large and too
// many are.
func (s *Server) limitLargeForms(answer echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		if n := c.Request().ContentLength; 0 <= n && n <= smallForm {
			return answer(c)
		}
		select {
		case s.largeFormSlots <- struct{}{}:
			defer func() { <-s.largeFormSlots }()
			return answer(c)
		default:
			return &failure{status: http.StatusTooManyRequests, title: "The server is busy",
				message: "It has too many large forms to read at once. Sign in and try again."}
		}
	}
}

// readForm reads a form of somebody who is signed in. A large one takes its memory
// from what its sender, and all, may have on their way, until release.
func (s *Server) readForm(v *visit) (release func(), err error) {
	release = func() {}
	size := v.Request().ContentLength
	if size < 0 || size > maxForm {
		size = maxForm
	}
	if size > smallForm {
		if release, err = s.forms.Take(v.ctx(), v.user.Ref, size); err != nil {
			return nil, err
		}
	}
	if err := parseForm(v, maxForm); err != nil {
		release()
		return nil, err
	}
	return release, nil
}

// parseForm reads the fields of a body of at most limit bytes; those of the
// address do not count.
func parseForm(c echo.Context, limit int64) error {
	r := c.Request()
	if coding := r.Header.Get(echo.HeaderContentEncoding); coding != "" && !strings.EqualFold(coding, "identity") {
		return &failure{status: http.StatusUnsupportedMediaType, title: "Not a form", message: "Send the form without Content-Encoding."}
	}
	r.Body = http.MaxBytesReader(c.Response(), r.Body, limit)
	err := r.ParseForm()
	var large *http.MaxBytesError
	switch {
	case errors.As(err, &large):
		return &failure{status: http.StatusRequestEntityTooLarge, title: "Too large",
			message: "The form is larger than this server accepts. Shorten it and try again."}
	case err != nil:
		return &failure{status: http.StatusBadRequest, title: "Not a form", message: "The server could not read this as a form."}
	}
	return nil
}

// fields are those of the posted form.
func (v *visit) fields() url.Values { return v.Request().PostForm }

// field is a field of the posted form, with line ends as they are everywhere
// but in forms.
func (v *visit) field(name string) string { return field(v, name) }

func field(c echo.Context, name string) string {
	return strings.ReplaceAll(c.Request().PostForm.Get(name), "\r\n", "\n")
}

// problems tells the reader of a refused form what is wrong with which field.
// names translates the service's names of fields to the form's; what is at no
// field goes to the empty name. It is nil unless err is about the form.
func problems(err error, names map[string]string) views.Errors {
	if domain.ErrorCode(err) != domain.CodeInvalid {
		return nil
	}
	refused, list := domain.AsError(err), views.Errors{}
	add := func(name, message string) {
		if list[name] != "" {
			message = list[name] + " " + message
		}
		list[name] = message
	}
	if len(refused.Problems) == 0 {
		add("", refused.Message)
	}
	for _, p := range refused.Problems {
		add(names[member(p)], p.Message)
	}
	return list
}

// refusedForm is problems for forms that show every refusal themselves: what
// is no matter of one field goes to the empty name. It is nil for what no form
// can answer: nobody signed in, nothing there, a fault of the server.
func refusedForm(err error, names map[string]string) views.Errors {
	switch statusOf(err) {
	case http.StatusUnprocessableEntity:
		return problems(err, names)
	case http.StatusForbidden, http.StatusConflict, http.StatusRequestEntityTooLarge, http.StatusLocked, http.StatusTooManyRequests:
		return views.Errors{"": domain.AsError(err).Message}
	}
	return nil
}

// notices are the results of forms that lead to another page; the address says
// which, in the parameter done.
var notices = map[string]views.Notice{
	"role-created":         {Tone: views.ToneGood, Title: "Role created."},
	"role-saved":           {Tone: views.ToneGood, Title: "Role saved.", Detail: "It takes effect immediately."},
	"role-deleted":         {Tone: views.ToneGood, Title: "Role deleted."},
	"roles-assigned":       {Tone: views.ToneGood, Title: "Roles saved.", Detail: "They take effect immediately."},
	"user-disabled":        {Tone: views.ToneGood, Title: "User disabled.", Detail: "All sessions have ended, and this user's keys no longer work."},
	"user-enabled":         {Tone: views.ToneGood, Title: "User enabled."},
	"sessions-ended":       {Tone: views.ToneGood, Title: "All sessions ended."},
	"session-ended":        {Tone: views.ToneGood, Title: "Session ended."},
	"key-revoked":          {Tone: views.ToneGood, Title: "Key revoked."},
	"destination-created":  {Tone: views.ToneGood, Title: "Destination created.", Detail: "Send a test to see a message arrive."},
	"destination-saved":    {Tone: views.ToneGood, Title: "Destination saved.", Detail: "It takes effect immediately."},
	"destination-enabled":  {Tone: views.ToneGood, Title: "Destination enabled.", Detail: "It is told what happens from now on."},
	"destination-disabled": {Tone: views.ToneGood, Title: "Destination disabled.", Detail: "What waited is not sent."},
	"destination-deleted":  {Tone: views.ToneGood, Title: "Destination deleted."},
	"policy-saved":         {Tone: views.ToneGood, Title: "Policy saved.", Detail: "Requests that come from now on are held to it. What waits stays as it is."},
	"policy-enabled":       {Tone: views.ToneGood, Title: "Policy enabled.", Detail: "Requests that come from now on are held to it."},
	"policy-disabled":      {Tone: views.ToneGood, Title: "Policy disabled.", Detail: "What waits under it stays as it is."},
	"policy-requested":     {Tone: views.ToneInfo, Title: "Nothing is changed yet.", Detail: "A policy guards policies: the change takes effect when this request is approved."},
	"delivery-queued":      {Tone: views.ToneGood, Title: "It is sent again now."},
	"password-changed":     {Tone: views.ToneGood, Title: "Password changed.", Detail: "Your other sessions have ended."},
	"shortcuts-changed":    {Tone: views.ToneGood, Title: "Setting saved."},
	"verification":         {Tone: views.ToneInfo, Title: "Verification started.", Detail: "Reload this page to see the result."},
}

// noticeOf is the result that the address tells of, if it does.
func noticeOf(v *visit) *views.Notice {
	if notice, ok := notices[v.QueryParam("done")]; ok {
		return &notice
	}
	return nil
}

// member is the outermost member that a problem is about.
func member(p mplp.Problem) string {
	if i := strings.IndexAny(p.Path, ".["); i >= 0 {
		return p.Path[:i]
	}
	return p.Path
}
