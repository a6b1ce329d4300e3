package domain_test

import (
	"bytes"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"countersign/domain"
	"countersign/domain/credential"
	"countersign/store"
)

// signIn opens a session and gives the cookie's token.
func (w *world) signIn(name string) string {
	w.t.Helper()
	token, _, err := w.SignIn(w.ctx, name, password, domain.Client{Browser: "browser"})
	if err != nil {
		w.t.Fatal(err)
	}
	return token
}

func (w *world) signedIn(token string) bool {
	w.t.Helper()
	_, err := w.PeekSession(w.ctx, token)
	if err != nil {
		w.wantCode(err, domain.CodeUnauthenticated)
	}
	return err == nil
}

// Whoever writes to the database but has no signing key makes no session and no
// link, prolongs none, and hands none to another user.
func TestA2_SessionsAndLinksWithoutTheKeyAreWorthNothing(t *testing.T) {
	t.Parallel()
	const token = "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
	hash := credential.HashToken(token)
	for _, tt := range []struct {
		name    string
		change  string        // $user and $root are ids, $hash is the token's
		pass    time.Duration // before it is changed
		session bool          // what is asked is the session that was there; else the token above
		link    bool          // or the link
	}{
		{name: "a session that is made up", change: `INSERT INTO volatile_sessions (hash, user_id, created_at, seen_at) SELECT x'$hash', '$root', created_at, seen_at FROM volatile_sessions`},
		{name: "with the MAC of another", change: `INSERT INTO volatile_sessions (hash, user_id, created_at, seen_at, mac) SELECT x'$hash', user_id, created_at, seen_at, mac FROM volatile_sessions`},
		{name: "a session of another user", change: "UPDATE volatile_sessions SET user_id = '$root'", session: true},
		{name: "a session used later", change: "UPDATE volatile_sessions SET seen_at = seen_at + 1800000000", pass: domain.SessionIdleTimeout, session: true},
		{name: "a session begun later", change: "UPDATE volatile_sessions SET created_at = created_at + 43200000000, seen_at = seen_at + 43200000000", pass: domain.SessionLifetime, session: true},
		{name: "a session without a MAC", change: "UPDATE volatile_sessions SET mac = NULL", session: true},
		{name: "a link that is made up", change: `INSERT INTO volatile_links (hash, user_id, expires_at) SELECT x'$hash', '$root', expires_at FROM volatile_links`, link: true},
		{name: "a link of another user", change: "UPDATE volatile_links SET user_id = '$root'", link: true},
		{name: "a link for longer", change: "UPDATE volatile_links SET expires_at = expires_at + 86400000000", pass: domain.OneTimeLinkLifetime, link: true},
		{name: "a link that sets up", change: "UPDATE volatile_links SET user_id = NULL", link: true},
		{name: "a link with the MAC of a session", change: "UPDATE volatile_links SET mac = (SELECT mac FROM volatile_sessions)", link: true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var said bytes.Buffer
			w := newWorld(t, func(c *domain.Config) { c.Logger = slog.New(slog.NewTextHandler(&said, nil)) })
			root, user := w.user("root", "admin"), w.user("someone", "reviewer")
			_, link, err := w.AddUser(w.ctx, domain.System, "invited", []string{"reviewer"}, "")
			if err != nil {
				t.Fatal(err)
			}
			session := w.signIn("someone")
			if _, err := w.OneTimeLinkUser(w.ctx, link); err != nil || !w.signedIn(session) {
				t.Fatalf("before: %v", err)
			}
			w.pass(tt.pass)
			w.sql(strings.NewReplacer("$root", root.ID, "$user", user.ID, "$hash", fmt.Sprintf("%x", hash)).Replace(tt.change))
			if !tt.session {
				session = token
			}
			if strings.HasSuffix(tt.name, "made up") {
				link = token
			}
			for range 3 {
				if tt.link {
					_, err := w.OneTimeLinkUser(w.ctx, link)
					w.wantCode(err, domain.CodeNotFound)
				} else if w.signedIn(session) {
					t.Error("it is believed")
				}
			}
			if tt.link {
				_, _, err := w.UseOneTimeLink(w.ctx, link, "mallory", password, "")
				w.wantCode(err, domain.CodeNotFound)
			}
			if n := strings.Count(said.String(), "level=WARN"); n != 1 {
				t.Errorf("logged %d times: %s", n, &said)
			}
		})
	}
}

// keep notes the rows of a table as they are; the function puts them back, in
// place of those that are there.
func (w *world) keep(tables ...string) (putBack func()) {
	w.t.Helper()
	for _, table := range tables {
		w.sql(fmt.Sprintf("CREATE TABLE kept_%[1]s AS SELECT * FROM %[1]s", table))
	}
	return func() {
		w.t.Helper()
		for _, table := range tables {
			w.sql(fmt.Sprintf("INSERT OR REPLACE INTO %[1]s SELECT * FROM kept_%[1]s", table))
		}
	}
}

// A session or link that was true once is worth nothing after it was ended, also
// when its row is put back as it was; sessions that were not ended go on.
func TestN3_EndedSessionsAndUsedLinksArePutBack(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		end  func(w *world, user domain.Ref, token string) error
		goes bool // the user's other session goes on
	}{
		{"signed out", func(w *world, _ domain.Ref, token string) error { return w.SignOut(w.ctx, token) }, true},
		{"ended from another browser", func(w *world, user domain.Ref, token string) error {
			return w.EndOwnSession(w.ctx, user, credential.HashToken(token))
		}, true},
		{"all ended", func(w *world, user domain.Ref, _ string) error { return w.EndSessions(w.ctx, domain.System, user.ID) }, false},
		{"password changed", func(w *world, user domain.Ref, _ string) error {
			return w.ChangePassword(w.ctx, user, password, password+"!", nil)
		}, false},
		{"password reset", func(w *world, user domain.Ref, _ string) error {
			_, err := w.ResetUser(w.ctx, domain.System, user.ID)
			return err
		}, false},
		{"disabled for a while", func(w *world, user domain.Ref, _ string) error {
			if err := w.DisableUser(w.ctx, domain.System, user.ID); err != nil {
				return err
			}
			return w.EnableUser(w.ctx, domain.System, user.ID)
		}, false},
		{"the signing key rotated", func(w *world, _ domain.Ref, _ string) error {
			_, err := w.RotateKey(w.ctx)
			return err
		}, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.user("root", "admin")
			user := w.user("someone", "reviewer")
			token, other := w.signIn("someone"), w.signIn("someone")
			putBack := w.keep("volatile_sessions")
			if err := tt.end(w, user, token); err != nil {
				t.Fatal(err)
			}
			if w.signedIn(token) || w.signedIn(other) != tt.goes {
				t.Errorf("signed in before the row is put back: %v, the other %v", w.signedIn(token), w.signedIn(other))
			}
			if tt.goes { // and counts as use
				w.pass(10 * time.Minute)
				if _, err := w.SessionUser(w.ctx, other); err != nil {
					t.Error(err)
				}
				w.pass(25 * time.Minute)
				if !w.signedIn(other) {
					t.Error("the other session cannot be used any more")
				}
				w.pass(-35 * time.Minute)
			}
			putBack()
			if w.signedIn(token) || w.signedIn(other) {
				t.Error("a row of before is believed")
			}
		})
	}
	t.Run("a link that was used", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		_, link, err := w.AddUser(w.ctx, domain.System, "invited", []string{"reviewer"}, "")
		if err != nil {
			t.Fatal(err)
		}
		putBack := w.keep("volatile_links")
		if _, _, err := w.UseOneTimeLink(w.ctx, link, "", password, ""); err != nil {
			t.Fatal(err)
		}
		putBack()
		_, err = w.OneTimeLinkUser(w.ctx, link)
		w.wantCode(err, domain.CodeNotFound)
	})
	t.Run("a link before a reset", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		user, link, err := w.AddUser(w.ctx, domain.System, "invited", []string{"reviewer"}, "")
		if err != nil {
			t.Fatal(err)
		}
		putBack := w.keep("volatile_links")
		newer, err := w.ResetUser(w.ctx, domain.System, user.ID)
		if err != nil {
			t.Fatal(err)
		}
		putBack()
		_, err = w.OneTimeLinkUser(w.ctx, link)
		w.wantCode(err, domain.CodeNotFound)
		if _, err := w.OneTimeLinkUser(w.ctx, newer); err != nil {
			t.Error(err)
		}
	})
}

// Using a session writes a MAC of its own each time: it goes on, and an older row
// of it is no worse than it was.
func TestSessions_GoOnWhileUsed(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.user("someone", "reviewer")
	token := w.signIn("someone")
	for range 4 {
		w.pass(domain.SessionIdleTimeout - time.Minute)
		if _, err := w.SessionUser(w.ctx, token); err != nil {
			t.Fatal(err)
		}
	}
}

// Ending the sessions of who was invited and has none leaves them their link.
func TestEndSessions_KeepsAnInvitation(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	user, link, err := w.AddUser(w.ctx, domain.System, "invited", []string{"reviewer"}, "")
	if err != nil {
		t.Fatal(err)
	}
	if err := w.EndSessions(w.ctx, domain.System, user.ID); err != nil {
		t.Fatal(err)
	}
	if _, err := w.OneTimeLinkUser(w.ctx, link); err != nil {
		t.Error(err)
	}
}

// Who has taken the users away sets up no administrator, neither with the link of
// the first set-up nor with a new one.
func TestN4_SetUpIsNotDoneAgain(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	token, err := w.CreateSetupLink(w.ctx)
	if err != nil {
		t.Fatal(err)
	}
	putBack := w.keep("volatile_links")
	if _, _, err := w.UseOneTimeLink(w.ctx, token, "boss", password, ""); err != nil {
		t.Fatal(err)
	}
	w.sql("DELETE FROM user_roles; DELETE FROM users")
	putBack()
	changed := func(what string, err error) {
		t.Helper()
		w.wantCode(err, domain.CodeEvidenceUnavailable)
		if err == nil || !strings.Contains(err.Error(), "The database was changed") {
			t.Errorf("%s: %v", what, err)
		}
	}
	_, err = w.OneTimeLinkUser(w.ctx, token)
	changed("the link", err)
	_, _, err = w.UseOneTimeLink(w.ctx, token, "mallory", password, "")
	changed("its use", err)
	_, err = w.CreateSetupLink(w.ctx)
	changed("a new link", err)
	_, err = domain.NewService(w.db, domain.Config{Now: w.now}).HasUsers(w.ctx)
	changed("whether there are users", err)
}

// Another process rotates the key while this one runs: who signs in here next is
// signed in, for both, and who was before is not.
func TestSessions_AfterAnotherProcessRotatedTheKey(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.user("someone", "reviewer")
	before := w.signIn("someone")
	second, err := store.Open(w.ctx, w.file, store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := second.Close(); err != nil {
			t.Error(err)
		}
	}()
	other := domain.NewService(second, domain.Config{Now: w.now})
	if _, err := other.RotateKey(w.ctx); err != nil {
		t.Fatal(err)
	}
	token := w.signIn("someone")
	if w.signedIn(before) || !w.signedIn(token) {
		t.Errorf("signed in: before %v, after %v", w.signedIn(before), w.signedIn(token))
	}
	if _, err := other.PeekSession(w.ctx, token); err != nil {
		t.Errorf("in the other process: %v", err)
	}
}
