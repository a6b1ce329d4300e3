package web_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"countersign/domain"
)

func TestSignInLeadsBack(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.user("reviewer", "reviewer")
	for _, tc := range []struct{ name, next, want string }{
		{"nowhere in particular", "", "/"},
		{"a page", "/confirms/abc?from=q%3Dx", "/confirms/abc?from=q%3Dx"},
		{"another site", "https://evil.example/", "/"},
		{"another site without a scheme", "//evil.example/confirms", "/"},
		{"a back slash", `/\evil.example`, "/"},
		{"a control character", "/\t/evil.example", "/"},
		{"up and away", "/confirms/../../evil", "/"},
		{"no page", "/live", "/"},
		{"the interface for programs", "/api/v1/confirms", "/"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			b := w.browser().in(t)
			page := b.want(b.get("/login?"+url.Values{"next": {tc.next}}.Encode()), http.StatusOK)
			answer := b.want(b.submit(page, "/login", "username", "reviewer", "password", password), http.StatusSeeOther)
			if got := answer.Header.Get("Location"); got != tc.want {
				t.Errorf("location %q, want %q", got, tc.want)
			}
		})
	}
}

func TestSignInNeverSaysWhatWasWrong(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.user("reviewer", "reviewer")
	var said []string
	for _, form := range [][2]string{{"reviewer", "wrong"}, {"nobody", password}} {
		b := w.browser()
		page := b.want(b.submit(b.get("/login"), "/login", "username", form[0], "password", form[1]), http.StatusUnauthorized)
		said = append(said, page.doc(t).Find(".notice").Text())
	}
	if said[0] == "" || said[0] != said[1] {
		t.Errorf("messages differ: %q", said)
	}
}

func TestSignInNeedsItsOwnForm(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.user("reviewer", "reviewer")
	b := w.browser()
	b.want(b.do(http.MethodPost, "/login", url.Values{"username": {"reviewer"}, "password": {password}}), http.StatusForbidden)
}

func TestSignInRotatesTheSession(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b := w.user("reviewer", "reviewer")
	site, err := url.Parse(w.url)
	if err != nil {
		t.Fatal(err)
	}
	session := func() string {
		for _, cookie := range b.client.Jar.Cookies(site) {
			if cookie.Name == "countersign" {
				return cookie.Value
			}
		}
		return ""
	}
	before := session()
	// The sign-in page sends whoever is signed in away: use a form from before.
	other := w.browser()
	target, form := other.form(other.get("/login"), "/login")
	b.client.Jar.SetCookies(site, other.client.Jar.Cookies(site))
	form.Set("username", "reviewer")
	form.Set("password", password)
	b.want(b.do(http.MethodPost, target, form), http.StatusSeeOther)
	if after := session(); after == before || after == "" {
		t.Fatal("the session is the same")
	}
	if _, err := w.svc.SessionUser(w.ctx, before); domain.ErrorCode(err) != domain.CodeUnauthenticated {
		t.Errorf("the session before is still good: %v", err)
	}
}

func TestSessionsEnd(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name string
		end  func(*world, *browser)
	}{
		{"by signing out", func(_ *world, b *browser) {
			b.want(b.submit(b.get("/confirms"), "/logout"), http.StatusSeeOther)
		}},
		{"by being idle", func(w *world, _ *browser) { w.pass(domain.SessionIdleTimeout) }},
		{"by age", func(w *world, b *browser) {
			for range int(domain.SessionLifetime / (20 * time.Minute)) {
				w.pass(20 * time.Minute)
				b.get("/confirms")
			}
		}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			b := w.user("reviewer", "reviewer")
			b.want(b.get("/confirms"), http.StatusOK)
			tc.end(w, b)
			answer := b.want(b.get("/confirms?mine=1"), http.StatusSeeOther)
			if got, want := answer.Header.Get("Location"), "/login?next=%2Fconfirms%3Fmine%3D1"; got != want {
				t.Errorf("location %q, want %q", got, want)
			}
		})
	}
}

// A page that is left open refreshes itself, which keeps nobody signed in; and
// it says so instead of showing what is old.
func TestOpenPageDoesNotKeepTheSession(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b := w.user("reviewer", "reviewer")
	b.want(b.get("/confirms"), http.StatusOK)
	b.htmx = true
	for range 2 {
		w.pass(domain.SessionIdleTimeout / 2)
		b.get("/confirms")
	}
	answer := b.want(b.get("/confirms?mine=1"), http.StatusUnauthorized)
	if got, want := answer.Header.Get("HX-Redirect"), "/login?next=%2Fconfirms%3Fmine%3D1"; got != want {
		t.Errorf("HX-Redirect %q, want %q", got, want)
	}
	b.want(b.get("/live"), http.StatusUnauthorized)
}

// While nobody has an account, who comes to sign in or with an old link is told
// where the link for the first one is.
func TestFirstRunIsExplained(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b := w.browser()
	says := func(path string, status int, words string) {
		t.Helper()
		door := b.want(b.get(path), status).doc(t).Find(".door").Text()
		if !strings.Contains(door, words) {
			t.Errorf("%s does not say %q: %s", path, words, door)
		}
	}
	says("/login", http.StatusOK, "No accounts yet")
	says("/setup?token=old", http.StatusNotFound, "the server prints one at each start")
	w.user("administrator", "admin")
	says("/setup?token=old", http.StatusNotFound, "Ask an administrator")
	if door := b.want(b.get("/login"), http.StatusOK).doc(t).Find(".door"); door.Find(".notice").Length() != 0 {
		t.Errorf("with a user the sign-in says %s", door.Text())
	}
}

func TestSetUpMakesTheFirstAdministrator(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	token, err := w.svc.CreateSetupLink(w.ctx)
	if err != nil {
		t.Fatal(err)
	}
	b := w.browser()
	page := b.want(b.get("/setup?token="+token), http.StatusOK)
	refused := b.want(b.submit(page, "/setup", "username", "first", "password", "short", "password_again", "short"), http.StatusUnprocessableEntity)
	if refused.doc(t).Find("#password-error").Length() != 1 || refused.doc(t).Find("#username").AttrOr("value", "") != "first" {
		t.Error("the form does not say what is wrong, or lost the name")
	}
	b.want(b.submit(page, "/setup", "username", "first", "password", password, "password_again", password+"!"), http.StatusUnprocessableEntity)
	b.want(b.submit(page, "/setup", "username", "first", "password", password, "password_again", password), http.StatusSeeOther)
	b.want(b.get("/users"), http.StatusOK)
	b.want(w.browser().get("/setup?token="+token), http.StatusNotFound)
}

// A set-up link that somebody still has from before the first user was added
// says so at once: its form would lead nowhere.
func TestSetUpLinkEndsWithTheFirstUser(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	token, err := w.svc.CreateSetupLink(w.ctx)
	if err != nil {
		t.Fatal(err)
	}
	b := w.browser()
	form := b.want(b.get("/setup?token="+token), http.StatusOK)
	w.user("reviewer", "reviewer")
	b.want(b.get("/setup?token="+token), http.StatusNotFound)
	late := b.want(b.submit(form, "/setup", "username", "first", "password", password, "password_again", password), http.StatusNotFound)
	if n := late.doc(t).Find("form").Length(); n != 0 {
		t.Errorf("%d forms behind a link that does not work", n)
	}
}

func TestInvitedUserChoosesAPassword(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	administrator := w.user("administrator", "admin")
	invited := administrator.want(administrator.submit(administrator.get("/users"), "/users", "username", "newcomer", "role", "reviewer"), http.StatusOK)
	link, err := url.Parse(strings.TrimSpace(invited.doc(t).Find("#one-time-link").Text()))
	if err != nil || link.Path != "/password" {
		t.Fatalf("link %q: %v", link, err)
	}
	b := w.browser()
	page := b.want(b.get(link.RequestURI()), http.StatusOK)
	if target, _ := b.form(page, "/password"); target != "/password" {
		t.Errorf("the form's address %q carries the secret", target)
	}
	b.want(b.submit(page, "/password", "password", password, "password_again", password), http.StatusSeeOther)
	b.want(b.get("/confirms"), http.StatusOK)
	b.want(w.browser().get(link.RequestURI()), http.StatusNotFound)
}

// Who signs out while nothing can be stored leaves no cookie behind, and is told
// what that does not end.
func TestSignOutWhileNothingCanBeStored(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b := w.user("reviewer", "reviewer")
	page := b.want(b.get("/confirms"), http.StatusOK)
	w.sql("CREATE TRIGGER no_space BEFORE INSERT ON log_head BEGIN SELECT RAISE(ABORT, 'no space'); END")
	failed := b.want(b.submit(page, "/logout"), http.StatusServiceUnavailable)
	if text := failed.doc(t).Text(); !strings.Contains(text, "This browser is signed out, but the server could not save that.") {
		t.Errorf("the page says %s", text)
	}
	b.want(b.get("/confirms"), http.StatusSeeOther)
}

// Users who were taken out of the database make nobody the first administrator, and
// the pages say why.
func TestN4_SetUpSaysThatTheDatabaseWasChanged(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	token, err := w.svc.CreateSetupLink(w.ctx)
	if err != nil {
		t.Fatal(err)
	}
	w.sql("CREATE TABLE kept AS SELECT * FROM volatile_links")
	b := w.browser()
	page := b.want(b.get("/setup?token="+token), http.StatusOK)
	b.want(b.submit(page, "/setup", "username", "first", "password", password, "password_again", password), http.StatusSeeOther)
	w.sql("DELETE FROM user_roles", "DELETE FROM users", "INSERT INTO volatile_links SELECT * FROM kept")
	for _, path := range []string{"/setup?token=" + token, "/setup?token=other", "/login"} {
		changed := b.want(w.browser().get(path), http.StatusServiceUnavailable)
		if text := changed.doc(t).Text(); !strings.Contains(text, "The database was changed") {
			t.Errorf("%s says %s", path, text)
		}
	}
	b.want(b.submit(page, "/setup", "username", "second", "password", password, "password_again", password), http.StatusServiceUnavailable)
}
