package main

import (
	"database/sql"
	"net/http"
	"sync"
	"testing"

	"github.com/chromedp/cdproto/network"
)

func TestE2E_CountdownToTimeout(t *testing.T) {
	s := newStage(t)
	frame := exampleFrame()
	frame["content_block"].(object)["review_configs"] = []object{{"timeout": 4}}
	var told pending
	p := s.signsIn("reviewer")
	s.calls(http.MethodPost, "/api/v1/approvals", frame, &told)
	answer := s.waits(told.ConfirmID)
	p.opensConfirm(told.ConfirmID)
	p.live()
	p.eval(`window.sameDocument = true`, nil)
	p.fill("#reason", "Still thinking")
	p.until(`/^[0-4] s left$/.test(document.querySelector(".decide .countdown").textContent)`)
	p.until(`document.querySelector(".decide .countdown")?.textContent === "1 s left"`)
	p.sees(".receipt h2", "Timed out")
	p.sees(".kicker", "Timed out")
	p.waitGone("#decision-form")
	p.sees("#unsent", "Still thinking")
	if !p.is("window.sameDocument") {
		t.Error("the page was loaded again")
	}
	if o := <-answer; o.Status != "rejected" || o.Cause != "timeout" || o.Reason != "Timed out after 4 s: nobody decided. This is not a refusal." {
		t.Errorf("the agent is told %+v", o)
	}
}

func TestE2E_DecidedElsewhereWhileTyping(t *testing.T) {
	s := newStage(t)
	watched, other := s.asksFor("The limit is 100", trade()), s.asksFor("Another", trade())
	p, elsewhere := s.signsIn("reviewer"), s.signsIn("second")
	p.opensConfirm(watched.ConfirmID)
	p.live()
	p.fill("#reason", "I have doubts, because")
	p.fill("#user_edit_content", "Ask the desk")
	p.eval(`document.querySelector("#reason").focus()`, nil)

	// Something else happens first: the words and the focus stay.
	elsewhere.opensConfirm(other.ConfirmID)
	elsewhere.click(`[data-verdict="approve"]`)
	elsewhere.waitFor(".receipt")
	p.sees("#pending-count", "1")
	if got := p.value("#reason"); got != "I have doubts, because" || !p.focused("#reason") {
		t.Errorf("after a live update the reason is %q, focused: %t", got, p.focused("#reason"))
	}

	elsewhere.opensConfirm(watched.ConfirmID)
	elsewhere.fill("#reason", "All clear")
	elsewhere.click(`[data-verdict="approve"]`)
	elsewhere.waitFor(".receipt")
	p.sees(".receipt h2", "Approved")
	p.sees(".receipt", "second")
	p.sees(".receipt", "All clear")
	p.sees("#unsent", "I have doubts, because")
	p.sees("#unsent", "Ask the desk")
}

func TestE2E_InboxIsLive(t *testing.T) {
	s := newStage(t)
	p, elsewhere := s.signsIn("reviewer"), s.signsIn("second")
	p.sees(".empty", "Nothing waits for a decision")
	p.live()
	p.eval(`window.sameDocument = true`, nil)
	first := s.asksFor("First", trade())
	p.waitFor("#row-" + first.ConfirmID)
	second := s.asksFor("Second", trade())
	p.waitFor("#row-" + second.ConfirmID)
	p.sees("#pending-count", "2")
	p.sees(".tabs .count", "2")

	elsewhere.opensConfirm(first.ConfirmID)
	elsewhere.click(`[data-verdict="reject"]`)
	elsewhere.waitFor(".receipt")
	p.waitGone("#row-" + first.ConfirmID)
	p.sees("#pending-count", "1")

	p.click(".tabs a", "Decided")
	p.sees("#row-"+first.ConfirmID, "Rejected")
	p.sees("#row-"+first.ConfirmID, "second")
	p.sees("#row-"+first.ConfirmID, "took")
}

// Rows do not move under the pointer: what is new waits until it is asked for.
func TestE2E_InboxHoldsStillUnderThePointer(t *testing.T) {
	s := newStage(t)
	first := s.asksFor("First", trade())
	p := s.signsIn("reviewer")
	p.live()
	p.hover("#row-" + first.ConfirmID)
	second := s.asks(object{"target_type": "other", "reason": "Second", "timeout": 60, "actions": []object{trade()}})
	p.sees("#inbox-show", "1 new: show")
	if p.count("#row-"+second.ConfirmID) != 0 {
		t.Error("a row appeared under the pointer")
	}
	p.click("#inbox-show")
	p.waitFor("#row-" + second.ConfirmID)
}

// A page whose server cannot be reached, or whose session has ended, says so and decides
// nothing.
func TestE2E_NoAnswer(t *testing.T) {
	s := newStage(t)
	asked := s.asksFor("The limit is 100", trade())
	gone, ended := s.signsIn("reviewer"), s.signsIn("second")
	ended.provokes(http.StatusUnauthorized)
	ended.opensConfirm(asked.ConfirmID)
	invoke(t, "user", "disable", "second", "--db", s.db)
	ended.click(`[data-verdict="approve"]`)
	ended.waitPath("/login")
	if told := s.told(asked.ConfirmID); told.Status != "pending" {
		t.Errorf("after the session has ended the decision counts: %+v", told)
	}

	gone.loses()
	gone.opensConfirm(asked.ConfirmID)
	gone.fill("#reason", "All clear")
	gone.do(network.EmulateNetworkConditions(true, 0, -1, -1))
	gone.click(`[data-verdict="approve"]`)
	gone.sees("#decision-form #unanswered", "Whether your decision arrived is not known")
	if got := gone.value("#reason"); got != "All clear" {
		t.Errorf("the reason is %q", got)
	}
}

// A page that refreshes nothing of itself leads to the sign-in, too, once its
// session is over.
func TestE2E_EndedSessionIsNoticed(t *testing.T) {
	s := newStage(t)
	p := s.signsIn("second")
	p.provokes(http.StatusUnauthorized)
	p.open("/evidence")
	p.live()
	invoke(t, "user", "disable", "second", "--db", s.db)
	p.waitPath("/login")
}

// A decision that could not be stored is said on the form, with what was typed,
// until it is resolved: over a live refresh, and no longer than the form.
func TestE2E_DecisionThatWasNotStored(t *testing.T) {
	s := newStage(t)
	asked := s.asksFor("The limit is 100", trade())
	p := s.signsIn("reviewer")
	p.provokes(http.StatusServiceUnavailable)
	p.opensConfirm(asked.ConfirmID)
	p.live()
	p.fill("#reason", "All clear")

	writable := s.holdsWriting()
	p.click(`[data-verdict="approve"]`)
	p.sees("#decision-form #unanswered", "Not decided so far: this still waits")
	p.waitFocus("#unanswered")
	if got := p.value("#reason"); got != "All clear" {
		t.Errorf("the reason is %q", got)
	}
	writable()
	s.asksFor("Another", trade())
	p.sees("#pending-count", "2")
	p.sees("#unanswered", "Send it again")
	p.click(`[data-verdict="approve"]`)
	p.waitFor(".receipt")
	p.sees(".receipt", "All clear")
	p.waitGone("#unanswered")
	if told := s.told(asked.ConfirmID); told.Status != "approved" {
		t.Errorf("the agent is told %+v", told)
	}
}

// holdsWriting takes the right to write to the database away from the server,
// as another program may, until the answer is called.
func (s *stage) holdsWriting() (release func()) {
	s.t.Helper()
	db, err := sql.Open("sqlite", "file:"+s.db)
	if err != nil {
		s.t.Fatal(err)
	}
	release = sync.OnceFunc(func() { db.Close() }) // which ends the transaction
	s.t.Cleanup(release)
	db.SetMaxOpenConns(1)
	if _, err := db.ExecContext(s.t.Context(), "BEGIN IMMEDIATE"); err != nil {
		s.t.Fatal(err)
	}
	return release
}
