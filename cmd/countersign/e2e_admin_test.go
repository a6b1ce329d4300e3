package main

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp/kb"
	"github.com/google/go-cmp/cmp"

	"countersign/web/client"
)

func TestE2E_RoleWithMalformedCapability(t *testing.T) {
	s := newStage(t)
	p := s.signsIn("admin")
	p.provokes(http.StatusUnprocessableEntity)
	p.open("/roles")
	p.submit(".page-head a", "New role")
	p.fill("#name", "auditor")
	p.fill("#description", "Reads everything, decides nothing")
	p.fill("#capabilities", "trace.read\nrole.READ")
	p.submit("form button", "Create role")
	p.sees("#capabilities-error", "role.READ")
	p.sees("#capabilities-error", "Line 2")
	p.sees("#capabilities-error", "position 6")
	for field, want := range map[string]string{
		"#name": "auditor", "#description": "Reads everything, decides nothing", "#capabilities": "trace.read\nrole.READ",
	} {
		if got := p.value(field); got != want {
			t.Errorf("after a refusal %s has %q, want %q", field, got, want)
		}
	}

	p.fill("#capabilities", "trace.read")
	p.click(".known .chip", "role.read") // a suggestion
	if got := p.value("#capabilities"); got != "trace.read\nrole.read" {
		t.Errorf("with the suggestion it is %q", got)
	}
	p.submit("form button", "Create role")
	p.sees("main", "auditor")
	if shown := invoke(t, "role", "show", "auditor", "--db", s.db); !strings.Contains(shown, "trace.read") || !strings.Contains(shown, "role.read") {
		t.Errorf("the role is\n%s", shown)
	}
}

func TestE2E_InviteUser(t *testing.T) {
	s := newStage(t)
	p := s.signsIn("admin")
	p.open("/users")
	p.fill("#username", "newcomer")
	p.click(`label:has([name="role"][value="reviewer"])`)
	p.submit("form[action='/users'] button")
	link, ok := strings.CutPrefix(p.text("#one-time-link"), s.base)
	if !ok {
		t.Fatalf("the link leads elsewhere: %s", p.text("#one-time-link"))
	}
	p.sees(".list", "Invited")
	p.eval(`(window.left = true, location.reload())`, nil) // which invites nobody
	p.until(`!window.left`)
	p.waitGone("#one-time-link")
	p.waitGone("[role=alert]")

	invited := s.opens()
	invited.open(link)
	invited.sees(".lead", "newcomer")
	invited.fill("#password", password)
	invited.fill("#password_again", password)
	invited.submit(".door button")
	invited.sees(".who-name", "newcomer")

	again := s.opens()
	again.provokes(http.StatusNotFound)
	again.open(link)
	again.sees("h1", "This link does not work")
	p.open("/users")
	p.waitGone("#one-time-link")
	p.sees(".list", "1 session")
}

// Among very many roles one is found by a part of its name, with the script and
// without it, and what was typed and ticked stays.
func TestE2E_FindAmongManyRoles(t *testing.T) {
	for name, setup := range map[string]func(*page){
		"with the script": func(*page) {},
		"without it":      func(p *page) { p.do(emulation.SetScriptExecutionDisabled(true)) },
	} {
		t.Run(name, func(t *testing.T) {
			s := newStage(t)
			for i := range 15 {
				invoke(t, "role", "set", fmt.Sprintf("team-%02d", i), "--capability", "plan.create", "--db", s.db)
			}
			p := s.signsIn("admin")
			setup(p)
			p.open("/users")
			p.fill("#username", "newcomer")
			p.click(`label:has([name="role"][value="reviewer"])`)
			p.fill("#find_role", "TEAM-13")
			p.press(kb.Enter)
			p.sees(".find + .checks", "team-13")
			if p.count("#one-time-link") > 0 {
				t.Error("Enter in the search invites")
			}
			var shown []string
			p.eval(`[...document.querySelectorAll(".check strong")].filter(e => e.checkVisibility()).map(e => e.textContent)`, &shown)
			if diff := cmp.Diff([]string{"reviewer", "team-13"}, shown); diff != "" {
				t.Errorf("roles in sight (-want +got):\n%s", diff)
			}
			p.click(".check", "team-13\nplan.create")
			p.submit("form[action='/users'] button", "Invite")
			p.sees(".list tr:has(.badge.tone-warn)", "reviewer, team-13")
		})
	}
}

func TestE2E_ManageUser(t *testing.T) {
	s := newStage(t)
	p, theirs := s.signsIn("admin"), s.signsIn("second")
	theirs.provokes(http.StatusUnauthorized) // what the open page asks for when its session is gone
	open := func() {
		p.open("/users")
		p.submit(".list a", "second")
		p.sees("h1", "second")
	}

	open()
	p.click(`label:has([name="role"][value="planner"])`)
	p.submit("form button", "Save roles")
	theirs.open("/account")
	theirs.sees("#account .links", "planner")
	theirs.sees(".capabilities", "plan.create")

	p.submit("button", "End all sessions")
	theirs.open("/account")
	theirs.waitPath("/login")
	theirs.signIn("second", password)
	theirs.waitFor("header.top")

	open()
	p.click("summary", "Disable…")
	p.submit("button", "Disable second")
	p.sees(".kicker", "Disabled")
	theirs.open("/confirms")
	theirs.waitPath("/login")
	theirs.signIn("second", password)
	theirs.sees(`[role="alert"]`, "disabled")
	p.submit("button", "Enable")
	p.sees(".kicker", "Active")
	theirs.signIn("second", password)
	theirs.waitFor("header.top")

	// Nobody changes their own roles.
	p.open("/users")
	p.submit(".list a", "admin")
	if n := p.count(`[name="role"]:not(:disabled)`); n != 0 {
		t.Errorf("an administrator is offered %d of their own roles to change", n)
	}
}

func TestE2E_Key(t *testing.T) {
	s := newStage(t)
	p := s.signsIn("admin")
	p.open("/keys")
	p.fill("#name", "courier")
	p.click(`label:has([name="role"][value="executor"])`)
	if got := p.value("#owner"); got != "" {
		t.Errorf("the owner is %q by default, want none", got)
	}
	p.fill("#expires_days", "30")
	p.submit("form[action='/keys'] button")
	key := p.text("#secret")
	courier := client.New(s.base, key)
	if err := courier.Call(t.Context(), http.MethodGet, "/api/v1/confirms", nil, nil); err != nil {
		t.Errorf("the new key: %v", err)
	}

	p.open("/keys")
	p.sees(".list", "courier")
	if strings.Contains(p.String(), key[len("cs_000000000000_"):]) {
		t.Error("the secret is shown a second time")
	}
	p.eval(`[...document.querySelectorAll(".list tr")].find(row => row.innerText.includes("courier")).id = "courier"`, nil)
	p.click("#courier summary")
	p.submit("#courier button", "Revoke courier")
	p.sees(".list", "Revoked")
	if err := courier.Call(t.Context(), http.MethodGet, "/api/v1/confirms", nil, nil); err == nil || !strings.Contains(err.Error(), "401") {
		t.Errorf("the revoked key: %v", err)
	}
}
