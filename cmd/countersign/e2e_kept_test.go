package main

import (
	"net/http"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/network"
)

// What is typed when the session ends comes back once its writer signs in again,
// and nothing is decided by that.
func TestE2E_WordsOutliveTheSession(t *testing.T) {
	const reason = "Not before the desk has answered"
	for _, tc := range []struct {
		name  string
		setup []func(*page)
		ends  func(s *stage, p *page)
	}{
		{"when the button is pressed", nil, func(_ *stage, p *page) {
			p.do(network.ClearBrowserCookies())
			p.submit(`[data-verdict="reject"]`)
		}},
		{"while the page is open", nil, func(s *stage, p *page) {
			admin := s.signsIn("admin")
			admin.open("/users")
			admin.submit(".list a", "reviewer")
			admin.submit("button", "End all sessions")
			s.asksFor("Another", trade()) // for the page to look anew
		}},
		{"without scripts", []func(*page){func(p *page) { p.do(emulation.SetScriptExecutionDisabled(true)) }}, func(_ *stage, p *page) {
			p.do(network.ClearBrowserCookies())
			p.submit(`[data-verdict="reject"]`)
		}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			s := newStage(t)
			asked := s.asksFor("Buy some", trade())
			p := s.signsIn("reviewer")
			p.provokes(http.StatusUnauthorized)
			for _, change := range tc.setup {
				change(p)
			}
			p.opensConfirm(asked.ConfirmID)
			p.fill("#reason", reason)
			tc.ends(s, p)
			p.sees(".door .notice", "Your session expired")
			p.signIn("reviewer", password)
			p.sees(".conflict", "Nothing was decided")
			if got := p.value("#reason"); got != reason {
				t.Errorf("the reason is %q", got)
			}
			if got := s.told(asked.ConfirmID).Status; got != "pending" {
				t.Fatalf("signing in made it %s", got)
			}
			p.click(`[data-verdict="reject"]`)
			p.sees(".receipt", reason)
		})
	}
}

// anew ends the session of a page from elsewhere, and signs in again once the
// page says so.
func (s *stage) anew(p, elsewhere *page, name string) {
	s.t.Helper()
	elsewhere.open("/account")
	elsewhere.submit("#account form button", "End session")
	addUser(s.t, s.db, "third", "tester") // for the stream to look anew
	p.sees(".door .notice", "Your session expired")
	p.signIn(name, password)
}

// An edit that was not approved yet comes back, too, and in sight.
func TestE2E_EditOutlivesTheSession(t *testing.T) {
	for name, reviewed := range map[string]bool{"read once more": true, "only typed": false} {
		t.Run(name, func(t *testing.T) {
			s := newStage(t)
			asked := s.asksFor("Buy some", trade())
			p, elsewhere := s.signsIn("reviewer"), s.signsIn("reviewer")
			p.provokes(http.StatusUnauthorized)
			p.opensConfirm(asked.ConfirmID)
			p.click(".verdicts button", "Edit")
			const edit = `{"quantity": 50, "side": "buy", "symbol": "VNM"}`
			p.fill("#args_0", edit)
			if reviewed {
				p.click(".editor button")
				p.waitFor(".diff")
			}
			s.anew(p, elsewhere, "reviewer")
			if reviewed {
				p.sees(".conflict", "Nothing was decided")
			} else {
				p.waitFor(".editor[open]")
			}
			if got := p.value("#args_0"); got != edit {
				t.Errorf("the arguments are %s", got)
			}
			if got := s.told(asked.ConfirmID).Status; got != "pending" {
				t.Errorf("signing in made it %s", got)
			}
		})
	}
}

// A page that refreshes nothing hears of the end of its session too.
func TestE2E_RoleOutlivesTheSession(t *testing.T) {
	s := newStage(t)
	p, elsewhere := s.signsIn("admin"), s.signsIn("admin")
	p.provokes(http.StatusUnauthorized)
	p.open("/roles/new")
	p.live()
	p.fill("#name", "night watch")
	p.click(".known .chip", "confirm.reject")
	s.anew(p, elsewhere, "admin")
	p.sees(".notice", "Check it and send again")
	p.waitPath("/roles/new")
	if name, capabilities := p.value("#name"), p.value("#capabilities"); name != "night watch" || capabilities != "confirm.reject" {
		t.Errorf("the form has %q and %q", name, capabilities)
	}
	p.submit("button", "Create role")
	p.sees(".notice", "Role created")
}
