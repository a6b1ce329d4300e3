package main

import (
	"net/http"
	"testing"

	"github.com/chromedp/chromedp/kb"
)

func TestE2E_Keyboard(t *testing.T) {
	s := newStage(t)
	// The soonest deadline stands first.
	ask := func(timeout int, reason string, actions ...object) pending {
		return s.asks(object{"target_type": "other", "reason": reason, "timeout": timeout, "actions": actions})
	}
	first, second, third := ask(600, "First", trade()), ask(700, "Second", trade()), ask(800, "Third", trade())
	p := s.signsIn("reviewer")
	row := func(asked pending) string { return "#row-" + asked.ConfirmID + " .row-link" }

	p.press("j")
	p.waitFocus(row(first))
	p.press("J")
	p.waitFocus(row(second))
	p.press("j")
	p.press("K")
	p.waitFocus(row(second))
	p.press("/")
	p.waitFocus("#search")
	p.press("jk/")
	if got := p.value("#search"); got != "jk/" {
		t.Errorf("typed into the search: %q", got)
	}
	p.press(kb.Escape)
	p.press("k")
	p.waitFocus(row(first))
	p.press("?")
	p.waitFor("dialog[open]")
	p.press("a") // keys do nothing behind the dialog
	p.press(kb.Escape)
	p.waitGone("dialog")

	p.press(kb.Enter)
	p.waitPath("/confirms/" + first.ConfirmID)
	p.press("A")
	p.waitFocus(`[data-verdict="approve"]`)
	p.sees(".armed-hint", "Press Enter to send it")
	p.press(kb.Escape) // steps back
	p.waitGone(".armed-hint")
	p.press("a")
	p.waitFocus(`[data-verdict="approve"]`)
	p.press(kb.Enter)
	p.sees(".receipt h2", "Approved")
	p.press("j") // the next one
	p.waitPath("/confirms/" + second.ConfirmID)
	p.press("r")
	p.waitFocus(`[data-verdict="reject"]`)
	p.press(kb.Enter)
	p.sees(".receipt h2", "Rejected")
	p.press("J")
	p.waitPath("/confirms/" + third.ConfirmID)

	p.provokes(http.StatusUnprocessableEntity)
	p.press("E")
	p.waitFocus("#args_0")
	if got := p.value("#args_0"); got == "" || got[0] != '{' {
		t.Errorf("the key is in the editor: %q", got)
	}
	p.press("are")
	p.press(kb.Tab + kb.Enter)
	p.waitFor("#args_0-error")
	if told := s.told(first.ConfirmID); told.Status != "approved" {
		t.Errorf("the first is %s", told.Status)
	}
	if told := s.told(second.ConfirmID); told.Status != "rejected" {
		t.Errorf("the second is %s", told.Status)
	}
	if told := s.told(third.ConfirmID); told.Status != "pending" {
		t.Errorf("the third is %s", told.Status)
	}
}

// Without the single keys, too, nobody has to go through a whole plan to come to
// the decision.
func TestE2E_KeyboardToTheDecision(t *testing.T) {
	s := newStage(t)
	var proposed pending
	s.calls(http.MethodPost, "/api/v1/plans/"+s.loginPlan()+"/propose", object{}, &proposed)
	p := s.signsIn("reviewer")
	p.opensConfirm(proposed.ConfirmID)
	p.eval(`document.querySelector(".crumbs a").focus()`, nil)
	p.press(kb.Tab)
	p.waitFocus(".to-decision")
	p.press(kb.Enter)
	p.press(kb.Tab)
	p.waitFocus(`[data-verdict="approve"]`)
}

// With several actions a key chooses for the first that is open, and decides
// nothing.
func TestE2E_KeyboardWithSeveralActions(t *testing.T) {
	s := newStage(t)
	asked := s.asksFor("Clean up", trade(), object{"name": "post_message", "args": object{"text": "Gone"}})
	p := s.signsIn("reviewer")
	p.opensConfirm(asked.ConfirmID)
	p.press("r")
	p.sees(`[data-tally="0"]`, "Reject")
	p.sees(`[data-tally="1"]`, "not decided")
	p.press("a")
	p.sees(`[data-tally="1"]`, "Approve")
	p.waitFocus(`[data-verdict="decide"]`)
	if told := s.told(asked.ConfirmID); told.Status != "pending" {
		t.Fatalf("keys alone decided: %s", told.Status)
	}
	p.press(kb.Enter)
	p.sees(".receipt h2", "Rejected")
}

func TestE2E_KeyboardSwitchedOff(t *testing.T) {
	s := newStage(t)
	asked := s.asksFor("First", trade())
	p := s.signsIn("reviewer")
	p.open("/account")
	p.click(`label:has([name="shortcuts"])`)
	p.click(`form[action="/account/shortcuts"] button`)
	p.until(`document.body.dataset.shortcuts === "off"`)
	p.opensConfirm(asked.ConfirmID)
	p.press("a")
	p.press("e")
	p.press("?")
	if !p.is(`document.activeElement === document.body`) || p.count("dialog[open], .editor[open]") != 0 {
		t.Errorf("a key still does something\n%s", p)
	}
}

// The stream may tell the page of a decision before its own answer arrives. The
// page waits for the answer, which leads to the next request.
func TestE2E_AnswerComesBeforeTheRefresh(t *testing.T) {
	s := newStage(t)
	first, second := s.asksFor("First", trade()), s.asksFor("Second", trade())
	p := s.signsIn("reviewer")
	p.opensConfirm(first.ConfirmID)
	p.eval(`(() => {
		const send = window.fetch;
		window.refreshes = 0;
		window.fetch = async (address, options) => {
			const answer = await send(address, options);
			if (options.method === "POST") await new Promise((go) => { window.goOn = go; });
			else window.refreshes++;
			return answer;
		};
		document.addEventListener("htmx:finally:request", (event) => { window.ended ||= event.detail.ctx?.sourceElement?.id === "confirm"; });
	})()`, nil)
	p.press("a")
	p.waitFocus(`[data-verdict="approve"]`)
	p.press(kb.Enter)
	p.until(`window.goOn && window.refreshes > 0 && window.ended`)
	if p.count(".receipt") != 0 {
		t.Errorf("the refresh took the answer's place\n%s", p)
	}
	p.eval(`window.goOn()`, nil)
	p.sees(".receipt h2", "Approved")
	p.press("j")
	p.waitPath("/confirms/" + second.ConfirmID)
}
