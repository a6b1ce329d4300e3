package web_test

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"countersign/domain"
	"countersign/web"
)

// cookie is the value of the browser's cookie of that name.
func (b *browser) cookie(name string) string {
	b.t.Helper()
	site, err := url.Parse(b.url)
	if err != nil {
		b.t.Fatal(err)
	}
	for _, cookie := range b.client.Jar.Cookies(site) {
		if cookie.Name == name {
			return cookie.Value
		}
	}
	return ""
}

// with is a browser that has nothing but the session cookie of another.
func (w *world) with(session string) *browser {
	w.t.Helper()
	b := w.browser()
	site, err := url.Parse(w.url)
	if err != nil {
		w.t.Fatal(err)
	}
	b.client.Jar.SetCookies(site, []*http.Cookie{{Name: "countersign", Value: session, Path: "/"}})
	return b
}

// TestT08_ACookieThatWasSetBeforehandIsWorthNothing: whoever plants a session
// cookie does not share in the session that begins with it.
func TestT08_ACookieThatWasSetBeforehandIsWorthNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.user("attacker", "reviewer")
	mine := w.user("accomplice", "reviewer").cookie("countersign")
	w.user("victim", "admin")
	for _, planted := range []string{"chosen-by-somebody-else", mine} {
		b := w.with(planted)
		fresh := w.browser() // the sign-in page sends whoever is signed in away
		target, form := fresh.form(fresh.get("/login"), "/login")
		site, err := url.Parse(w.url)
		if err != nil {
			t.Fatal(err)
		}
		b.client.Jar.SetCookies(site, fresh.client.Jar.Cookies(site))
		form.Set("username", "victim")
		form.Set("password", password)
		b.want(b.do(http.MethodPost, target, form), http.StatusSeeOther)
		if got := b.cookie("countersign"); got == planted || got == "" {
			t.Errorf("the cookie after signing in is %q", got)
		}
		w.with(planted).want(w.with(planted).get("/users"), http.StatusSeeOther)
	}
}

// TestT08_ACapturedCookieEndsWithItsSession replays a cookie after each thing
// that ends what it stood for.
func TestT08_ACapturedCookieEndsWithItsSession(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		end  func(w *world, b *browser) error
		want int
	}{
		{"signed out", func(_ *world, b *browser) error {
			b.want(b.submit(b.get("/account"), "/logout"), http.StatusSeeOther)
			return nil
		}, http.StatusSeeOther},
		{"disabled", func(w *world, b *browser) error { return w.svc.DisableUser(w.ctx, domain.System, b.ref.ID) }, http.StatusSeeOther},
		{"sessions ended", func(w *world, b *browser) error { return w.svc.EndSessions(w.ctx, domain.System, b.ref.ID) }, http.StatusSeeOther},
		{"password reset", func(w *world, b *browser) error {
			_, err := w.svc.ResetUser(w.ctx, domain.System, b.ref.ID)
			return err
		}, http.StatusSeeOther},
		{"role taken away", func(w *world, b *browser) error {
			return w.svc.AssignRoles(w.ctx, domain.System, b.ref.ID, []string{"planner"})
		}, http.StatusForbidden},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.user("other", "admin") // one must remain
			b := w.user("somebody", "admin").in(t)
			captured := b.cookie("countersign")
			b.want(w.with(captured).get("/users"), http.StatusOK)
			if err := tt.end(w, b); err != nil {
				t.Fatal(err)
			}
			b.want(w.with(captured).get("/users"), tt.want)
		})
	}
}

// TestSessionCookieFlags: a cookie is readable by no script, goes to no other
// site's forms, and over HTTPS is bound to this very host.
func TestSessionCookieFlags(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, scheme, cookie, secure string }{
		{"http", "http", "countersign=", ""},
		{"https", "https", "__Host-countersign=", "Secure"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, func(c *web.Config) { c.BaseURL = &url.URL{Scheme: tt.scheme, Host: "127.0.0.1"} })
			if _, _, err := w.svc.AddUser(w.ctx, domain.System, "somebody", []string{"reviewer"}, password); err != nil {
				t.Fatal(err)
			}
			b := w.browser().in(t)
			page := b.get("/login")
			target, form := b.form(page, "/login")
			form.Set("username", "somebody")
			form.Set("password", password)
			r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, w.url+target, strings.NewReader(form.Encode()))
			if err != nil {
				t.Fatal(err)
			}
			r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
			r.Header.Set("Origin", w.url)
			for _, cookie := range page.Cookies() { // a jar keeps Secure ones from plain HTTP
				r.AddCookie(&http.Cookie{Name: cookie.Name, Value: cookie.Value})
			}
			answer, err := http.DefaultTransport.RoundTrip(r)
			if err != nil {
				t.Fatal(err)
			}
			answer.Body.Close()
			set := strings.Join(answer.Header.Values("Set-Cookie"), "\n")
			for _, want := range []string{tt.cookie, "Path=/", "HttpOnly", "SameSite=Lax", tt.secure} {
				if !strings.Contains(set, want) {
					t.Errorf("%q lacks %s", set, want)
				}
			}
			if tt.secure == "" && strings.Contains(set, "Secure") || strings.Contains(set, "Domain=") {
				t.Errorf("cookie %q", set)
			}
		})
	}
}

// TestForwardedAddressesAreBelievedOfProxiesOnly: attempts to sign in count
// against the address of the connection, whatever a client says about itself.
func TestForwardedAddressesAreBelievedOfProxiesOnly(t *testing.T) {
	t.Parallel()
	_, loopback, err := net.ParseCIDR("127.0.0.0/8")
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name    string
		proxies []*net.IPNet
		forward func(i int) string
		held    bool
	}{
		{"nobody is trusted", nil, func(i int) string { return fmt.Sprintf("192.0.2.%d", i) }, true},
		{"a proxy is trusted", []*net.IPNet{loopback}, func(i int) string { return fmt.Sprintf("192.0.2.%d", i) }, false},
		{"it says the port too", []*net.IPNet{loopback}, func(i int) string { return fmt.Sprintf("192.0.2.%d:4711", i) }, false},
		{"of IPv6", []*net.IPNet{loopback}, func(i int) string { return fmt.Sprintf("[2001:db8:%d::1]:4711", i) }, false},
		{"of IPv6, without a port", []*net.IPNet{loopback}, func(i int) string { return fmt.Sprintf("2001:db8:%d::1", i) }, false},
		{"of one client, whose port changes", []*net.IPNet{loopback}, func(i int) string { return fmt.Sprintf("198.51.100.1:%d", 4000+i) }, true},
		{"behind what is no address", []*net.IPNet{loopback}, func(i int) string { return fmt.Sprintf("192.0.2.%d, unknown", i) }, true},
		{"what stands before the proxy's word, with ports", []*net.IPNet{loopback}, func(i int) string { return fmt.Sprintf("192.0.2.%d:1, 198.51.100.1:2", i) }, true},
		{"what stands before the proxy's word", []*net.IPNet{loopback}, func(i int) string { return fmt.Sprintf("192.0.2.%d, 198.51.100.1", i) }, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, func(c *web.Config) { c.TrustedProxies = tt.proxies })
			b := w.browser().in(t)
			target, form := b.form(b.get("/login"), "/login")
			form.Set("password", "wrong")
			last := 0
			for i := range 21 {
				form.Set("username", fmt.Sprint("user-", i))
				r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, w.url+target, strings.NewReader(form.Encode()))
				if err != nil {
					t.Fatal(err)
				}
				r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
				r.Header.Set("Origin", w.url)
				r.Header.Set("X-Forwarded-For", tt.forward(i))
				r.Header.Set("X-Real-IP", tt.forward(i))
				r.Header.Set("Forwarded", "for="+tt.forward(i))
				last = b.send(r).StatusCode
			}
			want := http.StatusUnauthorized
			if tt.held {
				want = http.StatusTooManyRequests
			}
			if last != want {
				t.Errorf("status %d, want %d", last, want)
			}
		})
	}
}

// TestT29_CompressedFormsAreRefused: what is small on the way may be large when
// it is there.
func TestT29_CompressedFormsAreRefused(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b := w.user("somebody", "admin")
	_, form := b.form(b.get("/account"), "/account/shortcuts")
	var packed bytes.Buffer
	pack := gzip.NewWriter(&packed)
	if _, err := pack.Write([]byte(form.Encode() + strings.Repeat("&x=0", 1<<20))); err != nil {
		t.Fatal(err)
	}
	if err := pack.Close(); err != nil {
		t.Fatal(err)
	}
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, w.url+"/account/shortcuts", &packed)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.Header.Set("Content-Encoding", "gzip")
	r.Header.Set("Origin", w.url)
	b.want(b.send(r), http.StatusUnsupportedMediaType)
}

// TestT29_LargeFormsOfStrangersAreFew: anybody may begin to send one, and what has
// come of it is kept in memory. Nobody is kept from signing in by that.
func TestT29_LargeFormsOfStrangersAreFew(t *testing.T) {
	t.Parallel()
	const few = 16
	w := newWorld(t)
	b := w.user("somebody", "admin")
	paths := []string{"/login", "/password", "/confirms/c/decision"}
	begin := func(path string) net.Conn {
		c, err := net.Dial("tcp", strings.TrimPrefix(w.url, "http://"))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = c.Close() })
		_, err = fmt.Fprintf(c, "POST %s HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: 1000000\r\n\r\nkept=x", path)
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	// One that is not among the few is answered before all of it has come.
	refused := make(chan string)
	for i := range few + len(paths) {
		c, path := begin(paths[i%len(paths)]), paths[i%len(paths)]
		go func() {
			answer, err := http.ReadResponse(bufio.NewReader(c), nil)
			if err == nil && answer.StatusCode == http.StatusTooManyRequests {
				refused <- path
			}
		}()
	}
	for range paths {
		<-refused
	}
	door := b.browser()
	door.want(door.submit(door.get("/login"), "/login", "username", "somebody", "password", password), http.StatusSeeOther)
	b.want(b.submit(b.get("/roles/new"), "/roles", "name", "night", "description", strings.Repeat("x", 100_000)), http.StatusSeeOther)
}
