package main

import (
	"net/http"
	"testing"
)

func TestE2E_Setup(t *testing.T) {
	takeTurn(t)
	s := &stage{running: start(t), t: t}
	link := s.stdout.await(t, 1, `(?m)^set up the first administrator: http://[^/]+(/\S+)$`)[1]

	p := s.opens()
	p.provokes(http.StatusUnprocessableEntity)
	p.open(link)
	p.fill("#username", "kim")
	p.fill("#password", "a word or two, kim")
	p.fill("#password_again", "a word or two, kim")
	p.submit(".door button")
	p.sees("#password-error", "name")
	if got := p.value("#username"); got != "kim" {
		t.Errorf("after a refusal the name is %q", got)
	}
	p.fill("#password", password)
	p.fill("#password_again", password+"!")
	p.submit(".door button")
	p.sees("#password_again-error", "differ")
	p.fill("#password", password)
	p.fill("#password_again", password)
	p.submit(".door button")
	p.waitPath("/confirms")
	p.sees(".who-name", "kim")
	p.sees(".empty a", "Connect an agent")

	other := s.opens()
	other.provokes(http.StatusNotFound)
	other.open(link)
	other.sees("h1", "This link does not work")
}

func TestE2E_SignIn(t *testing.T) {
	s := newStage(t)
	p := s.opens()
	p.provokes(http.StatusUnauthorized)
	asked := s.asksFor("Sell some", trade())

	p.open("/confirms/" + asked.ConfirmID)
	p.waitPath("/login")
	p.signIn("reviewer", "not the password at all")
	refused := p.text(`[role="alert"]`)
	if name, secret := p.value("#username"), p.value("#password"); name != "reviewer" || secret != "" {
		t.Errorf("after a refusal the form has %q and %q, want the name and no password", name, secret)
	}

	p.signIn("nobody", password)
	if unknown := p.text(`[role="alert"]`); unknown != refused {
		t.Errorf("a wrong password is told %q, an unknown name %q: they must not differ", refused, unknown)
	}

	p.signIn("reviewer", password)
	p.waitPath("/confirms/" + asked.ConfirmID) // where they wanted to go

	p.click(".who button")
	p.waitPath("/login")
	p.open("/confirms")
	p.waitPath("/login")
}
