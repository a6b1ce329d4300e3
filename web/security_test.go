package web_test

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"countersign/domain"
	"countersign/web"
)

// securityHeaders are the headers of every response.
var securityHeaders = map[string]string{
	"Content-Security-Policy":      "default-src 'none'",
	"X-Content-Type-Options":       "nosniff",
	"Referrer-Policy":              "no-referrer",
	"Cross-Origin-Opener-Policy":   "same-origin",
	"Cross-Origin-Resource-Policy": "same-origin",
	"Cache-Control":                "no-store",
	"X-Request-Id":                 "-",
}

func TestEveryResponseIsHardened(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b := w.user("administrator", "admin")
	large := url.Values{"username": {strings.Repeat("x", 2<<20)}}
	_, form := b.form(b.get("/account"), "/account/password")
	check := func(t *testing.T, a *answer) {
		t.Helper()
		for name, want := range securityHeaders {
			if got := a.Header.Get(name); !strings.Contains(got, want) && !strings.HasPrefix(a.Request.URL.Path, "/static/app") {
				t.Errorf("%s: %q, want %q", name, got, want)
			}
		}
		if a.Header.Get("Strict-Transport-Security") != "" {
			t.Error("HSTS without HTTPS")
		}
	}
	for _, tc := range []struct {
		name, method, path string
		form               url.Values
		want               int
	}{
		{"unknown address", http.MethodGet, "/nowhere", nil, http.StatusNotFound},
		{"unknown asset", http.MethodGet, "/static/nothing.css", nil, http.StatusNotFound},
		{"unknown method", http.MethodDelete, "/confirms", nil, http.StatusMethodNotAllowed},
		{"unknown under the API", http.MethodGet, "/api/v1/nowhere", nil, http.StatusUnauthorized},
		{"too large", http.MethodPost, "/login", large, http.StatusRequestEntityTooLarge},
		{"too large, signed in", http.MethodPost, "/users", large, http.StatusRequestEntityTooLarge},
		{"without a form token", http.MethodPost, "/users", nil, http.StatusForbidden},
		{"health", http.MethodGet, "/healthz", nil, http.StatusOK},
		{"refused form", http.MethodPost, "/users", url.Values{"csrf": form["csrf"]}, http.StatusUnprocessableEntity},
	} {
		t.Run(tc.name, func(t *testing.T) {
			b := b.in(t)
			check(t, b.want(b.do(tc.method, tc.path, tc.form), tc.want))
		})
	}
	for _, r := range w.web.Routes() {
		if r.Path == "/live" || r.Path == "/logout" {
			continue
		}
		t.Run(r.Method+" "+r.Path, func(t *testing.T) {
			check(t, b.in(t).do(r.Method, address(r.Path, map[string]string{"confirms": "x", "plans": "x"}), nil))
		})
	}
}

func TestPagesVaryByWhoAsks(t *testing.T) {
	t.Parallel()
	b := newWorld(t).user("reviewer", "reviewer")
	if got := b.get("/confirms").Header.Get("Vary"); got != "Accept-Encoding, HX-Request, HX-Request-Type" {
		t.Errorf("Vary %q", got)
	}
	b.htmx = true
	if page := b.want(b.get("/confirms"), http.StatusOK); strings.Contains(page.text, "<html") {
		t.Error("a partial request got a whole page")
	}
}

func TestHTTPSBaseURL(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(c *web.Config) { c.BaseURL = &url.URL{Scheme: "https", Host: "sign.example.com"} })
	r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "https://sign.example.com/login", nil)
	rec := httptest.NewRecorder()
	w.web.ServeHTTP(rec, r)
	if rec.Code != http.StatusOK || rec.Header().Get("Strict-Transport-Security") == "" {
		t.Errorf("status %d, HSTS %q", rec.Code, rec.Header().Get("Strict-Transport-Security"))
	}
	cookie := rec.Header().Get("Set-Cookie")
	for _, want := range []string{"__Host-countersign-door=", "Path=/", "HttpOnly", "Secure", "SameSite=Lax"} {
		if !strings.Contains(cookie, want) {
			t.Errorf("cookie %q lacks %s", cookie, want)
		}
	}
	if strings.Contains(cookie, "Domain=") {
		t.Errorf("cookie %q has a domain", cookie)
	}
}

func TestOtherHostsAreMisdirected(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(c *web.Config) { c.Hosts = []string{"Inside.Example:8080"} })
	for _, tc := range []struct {
		host, path string
		want       int
	}{
		{"127.0.0.1:9", "/login", http.StatusOK},
		{"localhost", "/login", http.StatusOK},
		{"[::1]:8080", "/login", http.StatusOK},
		{"inside.example", "/login", http.StatusOK},
		{"evil.example", "/login", http.StatusMisdirectedRequest},
		{"evil.example", "/api/v1/confirms", http.StatusMisdirectedRequest},
		{"127.0.0.1.evil.example", "/login", http.StatusMisdirectedRequest},
		{"", "/login", http.StatusMisdirectedRequest},
		{"10.0.0.7:8080", "/readyz", http.StatusServiceUnavailable},
		{"10.0.0.7:8080", "/healthz", http.StatusOK},
	} {
		t.Run(tc.host+tc.path, func(t *testing.T) {
			t.Parallel()
			r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, tc.path, nil)
			r.Host = tc.host
			rec := httptest.NewRecorder()
			w.web.ServeHTTP(rec, r)
			if got := rec.Code; got != tc.want && !(tc.path == "/readyz" && got == http.StatusOK) {
				t.Errorf("status %d, want %d", got, tc.want)
			}
		})
	}
}

// A form is believed only if the browser says that it comes from a page of this
// server.
func TestFormsFromElsewhereAreRefused(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b := w.user("reviewer", "reviewer")
	_, form := b.form(b.get("/account"), "/account/shortcuts")
	for _, tc := range []struct {
		name   string
		header map[string]string
		token  string
		want   int
	}{
		{"own origin", map[string]string{"Origin": w.url}, "", http.StatusSeeOther},
		{"same origin by fetch metadata", map[string]string{"Sec-Fetch-Site": "same-origin"}, "", http.StatusSeeOther},
		{"another origin", map[string]string{"Origin": "https://evil.example"}, "", http.StatusForbidden},
		{"null origin", map[string]string{"Origin": "null"}, "", http.StatusForbidden},
		{"cross-site", map[string]string{"Sec-Fetch-Site": "cross-site"}, "", http.StatusForbidden},
		{"same-site", map[string]string{"Sec-Fetch-Site": "same-site"}, "", http.StatusForbidden},
		{"says nothing", nil, "", http.StatusForbidden},
		{"wrong form token", map[string]string{"Origin": w.url}, "wrong", http.StatusForbidden},
	} {
		t.Run(tc.name, func(t *testing.T) {
			b := b.in(t)
			fields := url.Values{"csrf": form["csrf"], "shortcuts": {"1"}}
			if tc.token != "" {
				fields.Set("csrf", tc.token)
			}
			r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, w.url+"/account/shortcuts", strings.NewReader(fields.Encode()))
			if err != nil {
				t.Fatal(err)
			}
			r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
			for name, value := range tc.header {
				r.Header.Set(name, value)
			}
			b.want(b.send(r), tc.want)
		})
	}
}

// Whoever leaves does so from any page that they have, and is sent by nobody else.
func TestSigningOutAlwaysWorks(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	send := func(b *browser, header map[string]string, form url.Values) *answer {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, w.url+"/logout", strings.NewReader(form.Encode()))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		for name, value := range header {
			r.Header.Set(name, value)
		}
		return b.send(r)
	}
	b := w.user("reviewer", "reviewer")
	_, old := b.form(b.get("/confirms"), "/logout")
	w.pass(domain.SessionIdleTimeout)
	b.want(b.submit(b.get("/login"), "/login", "username", "reviewer", "password", password), http.StatusSeeOther)
	for name, header := range map[string]map[string]string{
		"another origin": {"Origin": "https://evil.example"}, "cross-site": {"Sec-Fetch-Site": "cross-site"},
		"same-site": {"Sec-Fetch-Site": "same-site"}, "says nothing": nil,
	} {
		t.Run(name, func(t *testing.T) { b.in(t).want(send(b.in(t), header, old), http.StatusForbidden) })
	}
	b.want(send(b, map[string]string{"Origin": w.url}, nil), http.StatusForbidden) // no form of any page
	b.want(b.get("/confirms"), http.StatusOK)
	for _, name := range []string{"from a page of an earlier session", "when the session is over"} {
		t.Run(name, func(t *testing.T) {
			b := b.in(t)
			if out := b.want(send(b, map[string]string{"Origin": w.url}, old), http.StatusSeeOther); out.Header.Get("Location") != "/login" {
				t.Errorf("location %q", out.Header.Get("Location"))
			}
			b.want(b.get("/confirms"), http.StatusSeeOther)
		})
	}
}

// When the database is gone, pages say so, tell nothing more and look nothing up.
func TestServerFaultsArePagesToo(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b := w.user("reviewer", "reviewer")
	if err := w.db.Close(); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"/confirms", "/confirms/x", "/account", "/live"} {
		page := b.want(b.get(path), http.StatusServiceUnavailable)
		doc := page.doc(t)
		if doc.Find("h1").Length() != 1 || doc.Find("script").Length() != 0 || !strings.Contains(page.text, page.Header.Get("X-Request-Id")) {
			t.Errorf("%s: %s", path, page.text)
		}
		for _, leak := range leaks {
			if strings.Contains(strings.ToLower(page.text), leak) {
				t.Errorf("%s: the answer contains %q", path, leak)
			}
		}
	}
	b.want(b.get("/readyz"), http.StatusServiceUnavailable)
	b.want(b.get("/healthz"), http.StatusOK)
}
