package web_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"countersign/web"
)

func TestAccountIsOnesOwn(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b := w.user("reviewer", "reviewer")
	elsewhere := w.browser()
	elsewhere.want(elsewhere.submit(elsewhere.get("/login"), "/login", "username", "reviewer", "password", password), http.StatusSeeOther)
	page := b.want(b.get("/account"), http.StatusOK)
	end := page.doc(t).Find("form[action$=end]").AttrOr("action", "")
	b.want(b.submit(page, end), http.StatusSeeOther)
	elsewhere.want(elsewhere.get("/confirms"), http.StatusSeeOther)
	b.want(b.submit(page, end), http.StatusNotFound)

	fresh := "another harbour at dusk"
	wrong := b.want(b.submit(page, "/account/password", "current", "wrong", "password", fresh, "password_again", fresh), http.StatusUnprocessableEntity)
	if wrong.doc(t).Find("#current-error").Length() != 1 {
		t.Error("the form does not say that the password is wrong")
	}
	for range 4 {
		b.want(b.submit(page, "/account/password", "current", "wrong", "password", fresh, "password_again", fresh), http.StatusUnprocessableEntity)
	}
	held := b.want(b.submit(page, "/account/password", "current", password, "password", fresh, "password_again", fresh), http.StatusTooManyRequests)
	if held.Header.Get("Retry-After") != "1" || !strings.Contains(held.text, "Too many attempts. Try again in 1 s.") {
		t.Errorf("many attempts: Retry-After %q", held.Header.Get("Retry-After"))
	}
	w.pass(time.Second)
	b.want(b.submit(page, "/account/password", "current", password, "password", fresh, "password_again", "other"), http.StatusUnprocessableEntity)
	b.want(b.submit(page, "/account/password", "current", password, "password", fresh, "password_again", fresh), http.StatusSeeOther)
	b.want(b.submit(page, "/account/shortcuts"), http.StatusSeeOther)
	if got := b.get("/confirms").doc(t).Find("body").AttrOr("data-shortcuts", ""); got != "off" {
		t.Errorf("shortcuts %q", got)
	}
}

func TestBrowserName(t *testing.T) {
	t.Parallel()
	const webkit = "AppleWebKit/537.36 (KHTML, like Gecko) "
	for _, tc := range []struct{ name, agent, want string }{
		{"Firefox", "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0", "Firefox on Linux"},
		{"Edge claims to be two others", "Mozilla/5.0 (Windows NT 10.0; Win64; x64) " + webkit + "Chrome/140.0.0.0 Safari/537.36 Edg/140.0.0.0", "Edge on Windows"},
		{"a telephone claims to be Linux", "Mozilla/5.0 (Linux; Android 16; Pixel) " + webkit + "Chrome/140.0.0.0 Mobile Safari/537.36", "Chrome on Android"},
		{"a telephone claims to be a Mac", "Mozilla/5.0 (iPhone; CPU iPhone OS 19_0 like Mac OS X) " + webkit + "Version/19.0 Mobile/15E148 Safari/604.1", "Safari on iPhone"},
		{"a program", "curl/8.14.1", "curl/8.14.1"},
		{"nothing", "", ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			if got := web.BrowserName(tc.agent); got != tc.want {
				t.Errorf("BrowserName = %q, want %q", got, tc.want)
			}
		})
	}
}
