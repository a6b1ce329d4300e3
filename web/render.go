package web

import (
	"bytes"
	"net/http"
	"strconv"
	"sync"
	"time"

	"github.com/a-h/templ"
	"github.com/labstack/echo/v4"

	"countersign/domain"
	"countersign/views"
)

// varyHeader names what a page depends on beside its address and its reader.
const varyHeader = "Accept-Encoding, HX-Request, HX-Request-Type"

// maxPendingCount is the number above which counts of pending confirms are no longer
// exact: what lists are counted by reading no more than a page.
const maxPendingCount = domain.MaxPage

// Headers that scripts send, as they are kept: looking for them by another
// spelling costs more than the look.
const (
	headerHTMX     = "Hx-Request"
	headerHTMXType = "Hx-Request-Type"
)

// isHTMX reports whether a script sent the request and can follow its headers.
func isHTMX(c echo.Context) bool { return c.Request().Header.Get(headerHTMX) == "true" }

// isPartial reports whether the answer goes into the page that the reader has.
func isPartial(c echo.Context) bool {
	return isHTMX(c) && c.Request().Header.Get(headerHTMXType) == "partial"
}

// show renders content for a signed-in user: a page, or for htmx the component
// that the page is built from.
func (s *Server) show(v *visit, status int, title string, content templ.Component) error {
	pending, err := s.pending(v)
	if err != nil {
		return err
	}
	section := sectionOf(v.Request().URL.Path)
	frame := views.Frame{
		Title: title, SignedIn: true, UserName: v.user.Name, Assets: s.assetURLs(),
		Address: v.pageAddress(), Nav: newNav(v.user, section, pending), Events: section.events, Seen: v.LastSeq, Now: s.svc.Now().Format(time.RFC3339Nano),
		Alarm: newAlarm(v.user, s.svc.Verification()),
	}
	page := views.Fragment(frame, content)
	if !isPartial(v) {
		frame.Shortcuts = !v.Preferences.ShortcutsOff
		if v.Path() == inboxPath {
			frame.Refresh = 30
		}
		page = views.Page(frame, content)
	}
	return writePage(v, status, v.csrfToken(), page)
}

// pageAddress is that of the page that a form was sent from, for the answer to
// the form: reloading it must not send the form again.
func (v *visit) pageAddress() string {
	address := v.address
	if address == "" && isUnsafeMethod(v.Request().Method) {
		address = returnPath(v.Request())
	}
	if address == "/" {
		return "" // nobody said from where
	}
	return address
}

// showAnonPage renders content for somebody who is not signed in.
func (s *Server) showAnonPage(c echo.Context, status int, title, formToken string, content templ.Component) error {
	frame := views.Frame{Title: title, Assets: s.assetURLs(), Now: s.svc.Now().Format(time.RFC3339Nano), CSSOnly: status >= http.StatusInternalServerError}
	page := views.Page(frame, content)
	if isPartial(c) {
		page = content
	}
	return writePage(c, status, formToken, page)
}

// buffers are kept because a page is large.
var buffers = sync.Pool{New: func() any { return new(bytes.Buffer) }}

// writePage renders whole pages or none: an error in the middle must not leave half
// a page that looks like all of it.
func writePage(c echo.Context, status int, formToken string, page templ.Component) error {
	buf := buffers.Get().(*bytes.Buffer)
	defer buffers.Put(buf)
	buf.Reset()
	if err := page.Render(views.WithToken(c.Request().Context(), formToken), buf); err != nil {
		return err
	}
	header, body := c.Response().Header(), buf.Bytes()
	header.Set(echo.HeaderVary, varyHeader)
	if small := compressed(c, status, body); small != nil {
		header.Set(echo.HeaderContentEncoding, "gzip")
		body = small
	}
	// In pieces, as the server would send it otherwise, it takes one more write.
	header.Set(echo.HeaderContentLength, strconv.Itoa(len(body)))
	return c.HTMLBlob(status, body)
}

// redirect leads on after a form: the answer to a POST is another page.
func redirect(c echo.Context, target string) error {
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

// maxAlarmFindings bounds how many findings stand on every page.
const maxAlarmFindings = 3

// newAlarm is for who may read the log, and, without the findings, for others who
// may decide.
func newAlarm(p *domain.Principal, v domain.Verification) *views.Alarm {
	audits := p.Can(domain.TraceRead)
	if !v.IsTampered() || !audits && !p.CanAny(domain.ConfirmApprove, domain.ConfirmReject) {
		return nil
	}
	alarm := &views.Alarm{At: views.At(v.Ended)}
	if audits {
		alarm.Findings = v.Findings[:min(len(v.Findings), maxAlarmFindings)]
		alarm.More = v.OmittedFindings + len(v.Findings) - len(alarm.Findings)
	}
	return alarm
}
