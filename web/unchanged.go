package web

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"net/http"
	"strconv"

	"github.com/labstack/echo/v4"

	"countersign/static"
)

// process tells the pages of this process from those of one that another
// version or other settings made.
var process = rand.Text()

// unchanged answers 304 to whoever has the page already. What a list shows
// follows from how far the log has got, from who asks, for what and with which
// settings, and from what the last verification found. The tag is weak: ages and remaining times are worded for the moment,
// and the form token is masked, without meaning anything else. Browsers keep no
// page (Cache-Control: no-store), so this is for those who ask again and again
// by themselves.
func (s *Server) unchanged(v *visit) (bool, error) {
	last, err := s.svc.Settle(v.ctx(), v.Seen)
	if err != nil {
		return false, err
	}
	on := append(make([]byte, 0, 256), process...)
	on = strconv.AppendInt(append(on, ' '), last, 10)
	if v := s.svc.Verification(); v.Tampered() {
		on = strconv.AppendInt(append(on, ' '), v.Ended.UnixNano(), 10)
	}
	for _, setting := range []bool{v.Chosen.ShortcutsOff, isHTMX(v), isPartial(v)} {
		on = strconv.AppendBool(append(on, ' '), setting)
	}
	on = append(append(append(on, ' '), v.Session.Hash...), v.Request().URL.RequestURI()...)
	sum := sha256.Sum256(on)
	tag := `"` + base64.RawURLEncoding.EncodeToString(sum[:18]) + `"`
	if v.tag = "W/" + tag; !static.Matches(v.Request().Header.Get("If-None-Match"), tag) {
		return false, nil
	}
	v.Response().Header().Set("ETag", v.tag)
	v.Response().Header().Set(echo.HeaderVary, vary)
	return true, v.NoContent(http.StatusNotModified)
}
