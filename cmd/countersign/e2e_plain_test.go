package main

import (
	"net/http"
	"testing"

	"github.com/chromedp/cdproto/emulation"
)

// Everything works without JavaScript.
func TestE2E_WithoutJavaScript(t *testing.T) {
	s := newStage(t)
	approved, edited, rejected := s.asksFor("First", trade()), s.asksFor("Second", trade()), s.asksFor("Third", trade())
	several := s.asksFor("Fourth", trade(), object{"name": "post_message", "args": object{"text": "Gone"}})
	p := s.signsIn("reviewer", emulation.SetScriptExecutionDisabled(true))
	if p.is(`document.documentElement.classList.contains("js")`) {
		t.Fatal("scripts run")
	}
	p.provokes(http.StatusUnprocessableEntity)

	p.click("#row-" + approved.ConfirmID + " .row-link")
	p.waitPath("/confirms/" + approved.ConfirmID)
	p.click(`[data-verdict="approve"]`)
	p.sees(".receipt h2", "Approved")
	p.sees(".receipt", approved.ContentHash)
	if p.path() != "/confirms/"+approved.ConfirmID {
		t.Errorf("the receipt is at %s: to reload it would post again", p.path())
	}
	p.click(".receipt .next")
	p.waitPath("/confirms/" + edited.ConfirmID)

	p.click(".editor summary")
	p.fill("#args_0", "{")
	p.fill("#reason", "Only half")
	p.click(".editor button")
	p.waitFor("#args_0-error")
	if args, reason := p.value("#args_0"), p.value("#reason"); args != "{" || reason != "Only half" {
		t.Errorf("after a refusal the form has %q and %q", args, reason)
	}
	p.fill("#args_0", `{"quantity":50,"side":"buy","symbol":"VNM"}`)
	p.click(".editor button")
	p.sees(".diff .added", `"quantity": 50`)
	p.click(`[data-verdict="approve"]`)
	p.sees(".receipt h2", "Approved")
	p.sees(".diff .added", `"quantity": 50`)

	p.opensConfirm(rejected.ConfirmID)
	p.fill("#reason", "Not today")
	p.click(`[data-verdict="reject"]`)
	p.sees(".receipt h2", "Rejected")

	p.opensConfirm(several.ConfirmID)
	p.acknowledgesAll() // a person rejected exactly this
	p.click(`label:has([name="action_0"][value="approve"])`)
	p.click(`label:has([name="action_1"][value="reject"])`)
	p.click(`[data-verdict="decide"]`)
	p.sees(".receipt h2", "Rejected")

	if told := s.told(edited.ConfirmID); told.Status != "approved" || told.Reason != "Only half" ||
		string(told.Decisions[0].EditedAction.Args) != `{"quantity":50,"side":"buy","symbol":"VNM"}` {
		t.Errorf("the agent is told %+v", told)
	}
	if told := s.told(rejected.ConfirmID); told.Status != "rejected" || told.Reason != "Not today" {
		t.Errorf("the agent is told %+v", told)
	}
	p.click(".who button")
	p.waitPath("/login")
}

// Whoever decides too late is told who was first, and keeps what they wrote.
func TestE2E_TooLate(t *testing.T) {
	s := newStage(t)
	asked := s.asksFor("The limit is 100", trade())
	p, elsewhere := s.signsIn("reviewer", emulation.SetScriptExecutionDisabled(true)), s.signsIn("second")
	p.provokes(http.StatusConflict)
	p.opensConfirm(asked.ConfirmID)
	p.fill("#reason", "Too much")
	elsewhere.opensConfirm(asked.ConfirmID)
	elsewhere.click(`[data-verdict="approve"]`)
	elsewhere.waitFor(".receipt")

	p.click(`[data-verdict="reject"]`)
	p.sees(".conflict .notice", "second approved it before you")
	p.sees("#unsent", "Too much")
	p.sees(".receipt h2", "Approved")
	if told := s.told(asked.ConfirmID); told.Status != "approved" {
		t.Errorf("the agent is told %+v", told)
	}
}
