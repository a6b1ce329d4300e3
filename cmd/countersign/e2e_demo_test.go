package main

import (
	"strings"
	"testing"
)

// What a visitor does with the demo: the edit that it invites, and a plan that
// comes back revised.
func TestE2E_Demo(t *testing.T) {
	takeTurn(t)
	s := &stage{running: start(t, "--demo"), t: t}
	secret := s.stdout.await(t, 1, `(?m)^\S+ +reviewer +(\S+)$`)[1]
	p := s.opens()
	p.open("/")
	p.waitPath("/login")
	p.signIn("reviewer", secret)
	p.until(`document.querySelectorAll(".row").length === 4`)

	p.click(".row-link", "execute_trade")
	p.sees(".reason", "the daily limit is 50")
	p.click(".verdicts button", "Edit")
	p.fill("#args_0", strings.Replace(p.value("#args_0"), "100", "50", 1))
	p.click(".editor button")
	p.sees(".diff .removed", `"quantity": 100`)
	p.sees(".diff .added", `"quantity": 50`)
	p.click(`[data-verdict="approve"]`)
	p.waitFor(".receipt")
	s.stdout.await(t, 1, `(?m)^agent: Call execute_trade: approved by a person in the role reviewer; execute_trade: edit to \{.*"quantity":50\D`)

	p.open("/confirms")
	p.click(".row-link", "“Fix Login Bug”")
	p.fill("#reason", "Back up the database first")
	p.click(`[data-verdict="reject"]`)
	p.sees(".receipt h2", "Rejected")
	again := s.stdout.await(t, 2, `(?m)^agent: Fix the login error\? I am waiting for http\S+(/confirms/\S+)$`)[1]
	p.open(again)
	p.sees(".confirm-more", "Earlier requests")
	p.sees(".confirm-more", "Back up the database first")
	p.sees("#confirm", "revision 2")
}
