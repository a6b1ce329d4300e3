package main

import (
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"
	"github.com/google/go-cmp/cmp"

	"countersign/domain"
	"countersign/web/client"
)

func TestE2E_Approve(t *testing.T) {
	s := newStage(t)
	first, second := s.asksFor("The limit is 100", trade()), s.asksFor("Tell them", object{"name": "post_message", "args": object{"text": "done"}})
	answer := s.waits(first.ConfirmID)
	p := s.signsIn("reviewer")
	p.click("#row-" + first.ConfirmID + " .row-link")
	p.waitPath("/confirms/" + first.ConfirmID)
	p.sees(`.rows [data-pointer="/quantity"] .exact.literal`, "100")
	p.sees(".reason", "The limit is 100")

	p.click(`[data-verdict="approve"]`)
	p.waitFor(".receipt")
	if told := <-answer; told.Status != "approved" || told.Cause != "human" || told.DecidedByRole != "reviewer" {
		t.Errorf("the waiting agent was told %+v", told)
	}
	p.sees(".receipt h2", "Approved")
	p.sees(".receipt", first.ContentHash)
	if !p.focused(".receipt h2") {
		t.Error("the result does not have the focus")
	}
	entry := regexp.MustCompile(`Log entry\s+(\d+)`).FindStringSubmatch(p.text(".receipt"))
	if entry == nil {
		t.Fatalf("the receipt names no log entry:\n%s", p.text(".receipt"))
	}
	p.sees(".receipt .next", "post_message")
	p.sees("#pending-count", "1")

	p.click(".receipt .next")
	p.waitPath("/confirms/" + second.ConfirmID)
	p.open("/confirms/" + first.ConfirmID)
	p.click(".receipt a", entry[1])
	p.waitPath("/log")
	p.sees("#entry-"+entry[1], "confirm.approved")
}

func TestE2E_RejectWithReason(t *testing.T) {
	s := newStage(t)
	asked := s.asksFor("The limit is 100", trade())
	answer := s.waits(asked.ConfirmID)
	p := s.signsIn("reviewer")
	p.opensConfirm(asked.ConfirmID)
	p.click(".presets .chip", "Wrong target")
	if got := p.value("#reason"); got != "Wrong target" {
		t.Errorf("the preset fills in %q", got)
	}
	p.fill("#reason", "Wrong target: <b>ask</b> the desk\nfirst")
	p.click(`[data-verdict="reject"]`)
	p.sees(".receipt h2", "Rejected")
	p.sees(".receipt", "Wrong target: <b>ask</b> the desk\nfirst")
	want := client.Outcome{Status: "rejected", Cause: "human", Reason: "Wrong target: <b>ask</b> the desk\nfirst", DecidedByRole: "reviewer"}
	told := <-answer
	got := client.Outcome{Status: told.Status, Cause: told.Cause, Reason: told.Reason, DecidedByRole: told.DecidedByRole}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the agent is told (-want +got):\n%s", diff)
	}
	p.sees(".next-none", "All done: nothing else waits")
}

func TestE2E_RequestChangesNeedsFeedback(t *testing.T) {
	s := newStage(t)
	asked := s.asksFor("The limit is 100", trade())
	p := s.signsIn("reviewer")
	p.provokes(http.StatusUnprocessableEntity)
	p.opensConfirm(asked.ConfirmID)
	p.click(".verdicts button", "Request changes")
	p.sees("#reason-error", "Say what has to change")
	p.waitFocus("#reason")
	if told := s.told(asked.ConfirmID); told.Status != string(domain.Pending) {
		t.Fatalf("without feedback it is %s", told.Status)
	}
	p.fill("#user_edit_content", "Buy in two halves")
	p.click(".verdicts button", "Request changes")
	p.sees(".receipt h2", "Rejected")
	if told := s.told(asked.ConfirmID); told.Status != "rejected" || told.UserEditContent != "Buy in two halves" {
		t.Errorf("the agent is told %+v", told)
	}
}

// Approve is never what Enter hits by accident.
func TestE2E_NothingIsPreselected(t *testing.T) {
	s := newStage(t)
	one := s.asksFor("One", trade())
	two := s.asksFor("Two", trade(), object{"name": "post_message", "args": object{"text": "done"}})
	plain := s.asks(object{"target_type": "other", "reason": "Only words"})
	p := s.signsIn("reviewer")
	for name, asked := range map[string]pending{"one action": one, "two actions": two, "no action": plain} {
		p.opensConfirm(asked.ConfirmID)
		if n := p.count("input:checked, option[selected]:not([value=''])"); n != 0 {
			t.Errorf("%s: %d things are chosen already", name, n)
		}
		if p.focused("button") {
			t.Errorf("%s: a button has the focus", name)
		}
	}
	for _, asked := range []pending{one, two} {
		for _, field := range []string{"#reason", "#user_edit_content"} {
			p.opensConfirm(asked.ConfirmID)
			p.fill(field, "Hm")
			p.press(kb.Enter)
			p.until(`document.querySelector(` + quote(field) + `).value === "Hm\n"`)
		}
	}
	for _, choice := range []string{"action_0", "action_1"} {
		p.click(`label:has([name="` + choice + `"][value="approve"])`)
		p.press(kb.Enter)
	}
	p.open("/confirms") // comes after whatever Enter might have sent
	if i := slices.IndexFunc(p.requested(), func(address string) bool { return strings.HasSuffix(address, "/decision") }); i >= 0 {
		t.Errorf("Enter decided: %s", p.requested()[i])
	}
	p.sees("#pending-count", "3")
}
