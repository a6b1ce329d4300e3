package main

import (
	"database/sql"
	"fmt"
	"net/http"
	"strconv"
	"sync"
	"testing"
	"time"

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
	p.sees(".empty", "Nothing to review")
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

// While things happen all the time an open page refreshes about once a second,
// and it ends with what happened last.
func TestE2E_RefreshesUnderSteadyTraffic(t *testing.T) {
	const events = 60
	s := newStage(t)
	var where posted
	s.calls(http.MethodPost, "/api/v1/contexts", example("context"), &where)
	p := s.signsIn("reviewer")
	p.open("/plans")
	p.live()
	p.eval(`window.asked = [], document.addEventListener("htmx:before:request", e => e.detail.ctx.sourceElement.id === "plans" && asked.push(performance.now()))`, nil)

	ten := time.NewTicker(100 * time.Millisecond)
	defer ten.Stop()
	for i := range events {
		<-ten.C
		if i%2 == 0 {
			s.asksFor("One of many", trade())
			continue
		}
		plan := example("plan")
		plan["context_id"], plan["title"] = where.ContextID, fmt.Sprintf("Plan %d", i)
		s.calls(http.MethodPost, "/api/v1/plans", plan, nil)
	}
	var asked []float64
	p.eval(`[...asked, performance.now()]`, &asked)
	for i := 1; i < len(asked); i++ {
		gap, last := asked[i]-asked[i-1], i == len(asked)-1
		if gap > 2000 || gap < 990 && !last {
			t.Errorf("refresh %d comes %.0f ms after the one before", i, gap)
		}
	}
	if len(asked) < 4 {
		t.Errorf("%d refreshes in %d events of 100 ms", len(asked)-1, events)
	}
	p.sees("#plans", fmt.Sprintf("Plan %d", events-1))
	p.sees("#pending-count", strconv.Itoa(events/2))
}

// Rows do not move under the pointer: what is new waits until it is asked for.
func TestE2E_InboxHoldsStillUnderThePointer(t *testing.T) {
	s := newStage(t)
	first := s.asksFor("First", trade())
	p := s.signsIn("reviewer")
	p.live()
	p.hover("#row-" + first.ConfirmID)
	second := s.asks(object{"target_type": "other", "reason": "Second", "timeout": 60, "actions": []object{trade()}})
	p.sees("#inbox-show", "Show 1 new")
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
	gone.sees("#decision-form #unanswered", "We do not know whether your decision arrived")
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
	p.sees("#decision-form #unanswered", "Not decided yet: still waiting")
	p.waitFocus("#unanswered")
	if got := p.value("#reason"); got != "All clear" {
		t.Errorf("the reason is %q", got)
	}
	writable()
	s.asksFor("Another", trade())
	p.sees("#pending-count", "2")
	p.sees("#unanswered", "It is safe to send again")
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
