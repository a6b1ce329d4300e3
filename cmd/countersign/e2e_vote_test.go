package main

import (
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp/kb"

	"countersign/domain"
)

const wirePolicy = `{"v":1,"name":"Large transfers","effect":"require","match":{"tools":["wire_*"]},"condition":"args.amount > 10000",
	"quorum":[{"role":"finance","approvals":1},{"role":"security","approvals":1}],
	"escalate":[{"after":900,"role":"ops_lead","for":"security"}],"note":"Call the supplier before you approve."}`

// setVoting adds people who vote on transfers: fay and finn of finance, sue of security,
// and ed of both.
func (s *stage) setVoting() {
	s.t.Helper()
	for _, role := range []string{"finance", "security", "ops_lead"} {
		invoke(s.t, "role", "set", role, "--capability", "confirm.approve", "--capability", "confirm.reject", "--db", s.db)
	}
	for name, roles := range map[string][]string{"fay": {"finance"}, "finn": {"finance"}, "sue": {"security"}, "ed": {"finance", "security"}} {
		addUser(s.t, s.db, name, roles...)
	}
	s.savePolicy("Large transfers", wirePolicy)
}

// savePolicy saves a policy and turns it on.
func (s *stage) savePolicy(name, document string) {
	s.t.Helper()
	file := filepath.Join(s.t.TempDir(), "policy.json")
	if err := os.WriteFile(file, []byte(document), 0o600); err != nil {
		s.t.Fatal(err)
	}
	invoke(s.t, "policy", "set", name, "--file", file, "--db", s.db)
}

// transfer is a tool call on which people have to vote.
func transfer() object {
	return object{"name": "wire_transfer", "args": object{"amount": 25000, "currency": "EUR", "iban": "DE02120300000000202051"}}
}

// voteSome leaves requests with votes to look at, and gives their pages. "ed" may vote.
func (s *stage) voteSome() (pages map[string]string) {
	s.t.Helper()
	s.setVoting()
	s.savePolicy("No wiping", `{"v":1,"name":"No wiping","effect":"reject","match":{"tools":["wipe_*"]},"note":"Ask for a copy of the data instead."}`)
	open, half, edited, done := s.asksFor("Invoice 2026-117 is due", object{"name": "wire_transfer", "args": object{"total": 25000}}), s.asksFor("Invoice 2026-118 is due", transfer()), s.asksFor("Invoice 2026-119 is due", transfer()), s.asksFor("Invoice 2026-120 is due", transfer())
	wiped := s.asksFor("Make room", object{"name": "wipe_disk", "args": object{"disk": "/dev/sda"}})
	fay, ed := s.signsIn("fay"), s.signsIn("ed")
	vote := func(p *page, asked pending) {
		p.opensConfirm(asked.ConfirmID)
		p.acknowledgesAll()
		p.fill("#reason", "Agreed on the phone")
		p.click(`[data-verdict="approve"]`)
	}
	for _, asked := range []pending{half, edited, done} {
		vote(fay, asked)
		fay.waitFor(".my-vote")
	}
	vote(ed, half)
	ed.waitFor(".receipt")
	vote(ed, done)
	ed.waitFor(".receipt")
	waits := s.asksFor("Invoice 2026-121 is due", transfer())
	vote(ed, waits)
	ed.waitFor(".my-vote")
	fay.opensConfirm(edited.ConfirmID)
	fay.click(".verdicts button", "Edit")
	fay.fill("#args_0", `{"amount":12000,"currency":"EUR","iban":"DE02120300000000202051"}`)
	fay.click(".editor > .button")
	fay.sees("h1", "Approve with these arguments?")
	fay.click(`[data-verdict="approve"]`)
	fay.waitFor(".my-vote")
	sue := s.signsIn("sue")
	vote(sue, edited)
	sue.waitFor(".my-vote")
	return map[string]string{
		"vote": "/confirms/" + open.ConfirmID, "vote-edited": "/confirms/" + edited.ConfirmID, "vote-mine": "/confirms/" + waits.ConfirmID + "?receipt=1",
		"vote-done": "/confirms/" + done.ConfirmID, "vote-inbox": "/confirms", "policy-rejected": "/confirms/" + wiped.ConfirmID,
	}
}

// Three people vote, edit, vote for the edit, and one has a veto.
func TestE2E_ThreePeopleVote(t *testing.T) {
	s := newStage(t)
	s.setVoting()
	asked := s.asksFor("Invoice 2026-118 is due", transfer())
	answer := s.waits(asked.ConfirmID)
	fay, sue, finn := s.signsIn("fay"), s.signsIn("sue"), s.signsIn("finn")
	for _, p := range []*page{fay, sue, finn} {
		p.opensConfirm(asked.ConfirmID)
		p.live()
		p.sees(".effects", "Your approval is 1 of 2.")
	}

	fay.press("a") // the keyboard votes like the button
	fay.waitFocus(`[data-verdict="approve"]`)
	fay.press(kb.Enter)
	fay.sees(".my-vote", "Your approval counts")
	fay.sees(".my-vote", "1 of 2; it waits for security.")
	fay.waitFocus(".my-vote h2")
	if told := s.told(asked.ConfirmID); told.Status != string(domain.Pending) {
		t.Fatalf("after one of two votes the agent is told %s", told.Status)
	}
	sue.sees(".effects", "Your approval is the last one that is needed: it will run.")
	finn.sees(".effects", "brings it no further: it stays at 1 of 2, and waits for security.")

	sue.click(".verdicts button", "Edit")
	sue.fill("#args_0", `{"amount":12000,"currency":"EUR","iban":"DE02120300000000202051"}`)
	sue.fill("#reason", "Half of it now")
	sue.click(".editor > .button")
	sue.sees("h1", "Approve with these arguments?")
	sue.sees(".effects", "Your approval is 1 of 2. Then it waits for finance.")
	sue.click(`[data-verdict="approve"]`)
	sue.sees(".my-vote", "You approved an edit as security")
	fay.sees("#variants", "Edited by sue: 1 of 2")
	fay.sees("#variants .diff .added", `"amount": 12000`)
	finn.sees("#variants", "Edited by sue: 1 of 2")

	finn.fill("#reason", "As Sue says")
	finn.click("#variants button", "Vote for this edit")
	finn.sees("h1", "Approve with these arguments?")
	finn.sees(".effects", "the last one that is needed")
	finn.sees(".decide", "As Sue says")
	finn.click(`[data-verdict="approve"]`)
	finn.sees(".receipt h2", "Approved")
	finn.sees(".receipt", "and 1 other vote")
	told := <-answer
	if told.Status != "approved" || len(told.Decisions) == 0 || string(told.Decisions[0].EditedAction.Args) != `{"amount":12000,"currency":"EUR","iban":"DE02120300000000202051"}` {
		t.Errorf("the agent is told %+v", told)
	}
	fay.sees(".receipt h2", "Approved")
	fay.sees("[aria-labelledby=history]", "did not count")

	// A veto ends it, also of who had approved.
	vetoed := s.asksFor("Invoice 2026-119 is due", transfer())
	answer = s.waits(vetoed.ConfirmID)
	for _, p := range []*page{fay, sue} {
		p.opensConfirm(vetoed.ConfirmID)
		p.live()
		p.acknowledgesAll()
	}
	fay.click(`[data-verdict="approve"]`)
	fay.sees(".my-vote", "Your approval counts")
	fay.sees(".effects", "Your rejection ends it")
	fay.fill("#reason", "The account is new")
	fay.click(`[data-verdict="reject"]`)
	fay.sees(".receipt h2", "Rejected")
	sue.sees(".receipt h2", "Rejected")
	sue.sees("[aria-labelledby=history]", "replaced by a later vote")
	if told := <-answer; told.Status != "rejected" || told.Reason != "The account is new" {
		t.Errorf("the agent is told %+v", told)
	}
}

// A telephone shows how far it is beside the buttons, and who has voted is not asked
// again.
func TestE2E_VoteOnATelephone(t *testing.T) {
	s := newStage(t)
	s.setVoting()
	asked := s.asksFor("Invoice 2026-118 is due", transfer())
	s.asksFor("Other", trade())
	p := s.signsIn("fay", narrow())
	p.sees("#row-"+asked.ConfirmID, "0 of 2")
	p.opensConfirm(asked.ConfirmID)
	p.sees(".bar", "yours: 1 of 2")
	p.waitFor("#confirm[data-all-seen]")
	tap := func() { p.eval(query(`[data-verdict-of="approve"]`)+".click()", nil) } // where the finger is
	tap()
	p.sees(`.bar [data-verdict-of="approve"]`, "Tap again to approve")
	tap()
	p.sees(".my-vote", "1 of 2; it waits for security.")
	p.waitGone(`.bar [data-verdict-of="approve"]`)
	p.open("/confirms")
	p.sees("#row-"+asked.ConfirmID, "Waiting for others")
	p.sees("#row-"+asked.ConfirmID, "1 of 2")
	p.open("/confirms?mine=1")
	p.waitGone("#row-" + asked.ConfirmID)
}

func TestE2E_VoteWithoutJavaScript(t *testing.T) {
	s := newStage(t)
	s.setVoting()
	asked := s.asksFor("Invoice 2026-118 is due", transfer())
	off := emulation.SetScriptExecutionDisabled(true)
	fay, ed := s.signsIn("fay", off), s.signsIn("ed", off)
	fay.provokes(http.StatusUnprocessableEntity)
	fay.opensConfirm(asked.ConfirmID)
	fay.fill("#user_edit_content", "Half of it")
	fay.click(`[data-verdict="approve"]`)
	fay.sees("#user_edit_content-error", "Several people must approve this")
	if got := fay.value("#user_edit_content"); got != "Half of it" {
		t.Errorf("after a refusal the message is %q", got)
	}
	fay.fill("#user_edit_content", " ")
	fay.click(".editor summary")
	fay.fill("#args_0", `{"amount":12000}`)
	fay.click(".editor > .button")
	fay.sees("h1", "Approve with these arguments?")
	fay.sees(".effects", "Your approval is 1 of 2.")
	fay.click(`[data-verdict="approve"]`)
	fay.sees(".my-vote", "Your approval counts")

	ed.opensConfirm(asked.ConfirmID)
	ed.sees("#decided_by_role", "Automatic: the role that is still needed")
	ed.fill("#reason", "Yes")
	ed.click("#variants button", "Vote for this edit")
	ed.sees("h1", "Approve with these arguments?")
	ed.sees(".diff .added", `"amount": 12000`)
	ed.click(`[data-verdict="approve"]`)
	ed.sees(".receipt h2", "Approved")
	if told := s.told(asked.ConfirmID); told.Status != "approved" || told.Reason != "Yes" {
		t.Errorf("the agent is told %+v", told)
	}
	if i := slices.IndexFunc(ed.requested(), func(address string) bool { return strings.Contains(address, "receipt=1") }); i < 0 {
		t.Error("the receipt has no address of its own: to reload it would post again")
	}
}
