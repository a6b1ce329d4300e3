package web

import (
	"bytes"
	"net/http"
	"path"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/a-h/templ"
	"github.com/labstack/echo/v4"

	"countersign/domain"
	"countersign/views"
)

// vary names what a page depends on beside its address and its reader.
const vary = "Accept-Encoding, HX-Request, HX-Request-Type"

// pendingCap is the number above which counts of pending confirms are no longer
// exact: what lists are counted by reading no more than a page.
const pendingCap = domain.MaxPage

// Headers that scripts send, as they are kept: looking for them by another
// spelling costs more than the look.
const (
	headerHTMX     = "Hx-Request"
	headerHTMXType = "Hx-Request-Type"
)

// isHTMX says whether a script sent the request and can follow its headers.
func isHTMX(c echo.Context) bool { return c.Request().Header.Get(headerHTMX) == "true" }

// isPartial says whether the answer goes into the page that the reader has.
func isPartial(c echo.Context) bool {
	return isHTMX(c) && c.Request().Header.Get(headerHTMXType) == "partial"
}

// show renders content for a signed-in user: a page, or for htmx the component
// that the page is built from.
func (s *Server) show(v *visit, status int, title string, section views.Section, content templ.Component) error {
	pending, err := s.pending(v)
	if err != nil {
		return err
	}
	frame := views.Frame{
		Title: title, SignedIn: true, UserName: v.who.Name, Assets: s.assetURLs(),
		Address: v.pageAddress(), Nav: newNav(v.who, section, pending), Seen: v.Seen, Now: s.svc.Now().Format(time.RFC3339Nano),
		Alarm: newAlarm(v.who, s.svc.Verification()),
	}
	page := views.Fragment(frame, content)
	if !isPartial(v) {
		frame.Shortcuts = !v.Chosen.ShortcutsOff
		if section == views.SectionInbox && v.Path() == inboxPath {
			frame.Refresh = 30
		}
		page = views.Page(frame, content)
	}
	if v.tag != "" && status == http.StatusOK {
		v.Response().Header().Set("ETag", v.tag)
	}
	return write(v, status, v.formKey(), page)
}

// pageAddress is that of the page that a form was sent from, for the answer to
// the form: reloading it must not send the form again.
func (v *visit) pageAddress() string {
	address := v.address
	if address == "" && unsafe(v.Request().Method) {
		address = cameFrom(v.Request())
	}
	if address == "/" {
		return "" // nobody said from where
	}
	return address
}

// pending is how many confirms wait, counted once for a page.
func (s *Server) pending(v *visit) (int, error) {
	if v.waiting == nil {
		n, err := s.svc.PendingCount(v.ctx(), v.ref())
		if err != nil {
			return 0, err
		}
		v.waiting = &n
	}
	return *v.waiting, nil
}

// showDoor renders content for somebody who is not signed in.
func (s *Server) showDoor(c echo.Context, status int, title, formToken string, content templ.Component) error {
	frame := views.Frame{Title: title, Assets: s.assetURLs(), Now: s.svc.Now().Format(time.RFC3339Nano), CSSOnly: status >= http.StatusInternalServerError}
	page := views.Page(frame, content)
	if isPartial(c) {
		page = content
	}
	return write(c, status, formToken, page)
}

// buffers are kept because a page is large.
var buffers = sync.Pool{New: func() any { return new(bytes.Buffer) }}

// write renders whole pages or none: an error in the middle must not leave half
// a page that looks like all of it.
func write(c echo.Context, status int, formToken string, page templ.Component) error {
	buf := buffers.Get().(*bytes.Buffer)
	defer buffers.Put(buf)
	buf.Reset()
	if err := page.Render(views.WithToken(c.Request().Context(), formToken), buf); err != nil {
		return err
	}
	header, body := c.Response().Header(), buf.Bytes()
	header.Set(echo.HeaderVary, vary)
	if small := compressed(c, status, body); small != nil {
		header.Set(echo.HeaderContentEncoding, "gzip")
		body = small
	}
	// In pieces, as the server would send it otherwise, it takes one more write.
	header.Set(echo.HeaderContentLength, strconv.Itoa(len(body)))
	return c.HTMLBlob(status, body)
}

// goTo leads on after a form: the answer to a POST is another page.
func goTo(c echo.Context, target string) error {
	if isHTMX(c) {
		c.Response().Header().Set("HX-Redirect", target)
		return c.NoContent(http.StatusOK)
	}
	return c.Redirect(http.StatusSeeOther, target)
}

func (s *Server) assetURLs() views.Assets {
	return views.Assets{
		Style: s.assets.URL("app.css"), Script: s.assets.URL("app.js"), Icon: s.assets.URL("icon.svg"),
		HTMX: s.assets.URL("lib/htmx.min.js"), SSE: s.assets.URL("lib/hx-sse.min.js"),
	}
}

// alarmFindings bounds how many findings stand on every page.
const alarmFindings = 3

// newAlarm is for who may read the log, and, without the findings, for others who
// may decide.
func newAlarm(p *domain.Principal, v domain.Verification) *views.Alarm {
	audits := p.Can(domain.TraceRead)
	if !v.Tampered() || !audits && !p.CanAny(domain.ConfirmApprove, domain.ConfirmReject) {
		return nil
	}
	alarm := &views.Alarm{At: views.At(v.Ended)}
	if audits {
		alarm.Findings = v.Findings[:min(len(v.Findings), alarmFindings)]
		alarm.More = v.More + len(v.Findings) - len(alarm.Findings)
	}
	return alarm
}

// newNav offers the sections that the reader may open.
func newNav(p *domain.Principal, section views.Section, pending int) views.Nav {
	return views.Nav{
		Current: section, Pending: pending, PendingCap: pendingCap, Inbox: true,
		Plans:    p.ReadsPlans(),
		Contexts: p.ReadsContexts(),
		Roles:    p.ReadsRoles(),
		Users:    p.ReadsUsers(),
		Keys:     p.ReadsKeys(),
		Log:      p.Can(domain.TraceRead),
		Evidence: p.Can(domain.TraceRead),
	}
}

// sections are the first parts of addresses that a sign-in may lead back to.
var sections = []string{"", "confirms", "plans", "contexts", "roles", "users", "keys", "log", "traces", "evidence", "account"}

// ownPath gives next if it is the address of a page of this server, and "/"
// otherwise: a sign-in must not send anybody elsewhere.
func ownPath(next string) string {
	where, _, _ := strings.Cut(next, "?")
	if !strings.HasPrefix(where, "/") || path.Clean(where) != where || strings.ContainsFunc(next, notInAddress) {
		return "/"
	}
	first, _, _ := strings.Cut(where[1:], "/")
	if !slices.Contains(sections, first) {
		return "/"
	}
	return next
}

// notInAddress finds what browsers read differently: they take \ for / and drop
// control characters.
func notInAddress(r rune) bool { return r == '\\' || r <= ' ' || r > '~' }
