package web_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"countersign/domain"
)

const transfer = `{"target_type":"other","actions":[{"name":"wire_transfer","args":{"amount":25000,"iban":"DE02120300000000202051"}}]}`

// votes is a server on which transfers need one approval of finance and one of security.
type votes struct {
	*world
	agent                  domain.Ref
	fay, finn, sue, ed, oz *browser // of finance, finance, security, both, and ops_lead
}

func newVotes(t *testing.T, more string) *votes {
	t.Helper()
	w := newWorld(t)
	for _, name := range []string{"finance", "security", "ops_lead"} {
		w.role(name, "confirm.approve", "confirm.reject")
	}
	v := &votes{world: w, agent: w.asker()}
	v.fay, v.finn, v.sue = w.user("fay", "finance"), w.user("finn", "finance"), w.user("sue", "security", w.role("policy reader", "policy.read"))
	v.ed, v.oz = w.user("ed", "finance", "security"), w.user("oz", "ops_lead")
	w.newPolicy(`{"v":1,"name":"Large transfers","effect":"require","match":{"tools":["wire_*"]},"condition":"args.amount > 10000",
		"quorum":[{"role":"finance","approvals":1},{"role":"security","approvals":1}],"note":"Call the supplier first."` + more + `}`)
	return v
}

// says reports what a part of a confirm's page says, with single spaces.
func (b *browser) says(c *domain.Confirm, selector string) string {
	b.t.Helper()
	return wordsIn(b.open(c), b, selector)
}

func wordsIn(a *answer, b *browser, selector string) string {
	b.t.Helper()
	return strings.Join(strings.Fields(a.doc(b.t).Find(selector).Text()), " ")
}

func (b *browser) wantSays(c *domain.Confirm, selector string, parts ...string) {
	b.t.Helper()
	got := b.says(c, selector)
	for _, part := range parts {
		if !strings.Contains(got, part) {
			b.t.Errorf("%s does not say %q:\n%s", selector, part, got)
		}
	}
}

// votes sends a decision and returns the page that it leads to.
func (b *browser) votes(c *domain.Confirm, pairs ...string) *answer {
	b.t.Helper()
	answer := b.want(b.decide(c, pairs...), http.StatusSeeOther)
	return b.want(b.get(answer.Header.Get("Location")), http.StatusOK)
}

func TestVotes_OneClickIsNotTheEnd(t *testing.T) {
	t.Parallel()
	v := newVotes(t, "")
	c := v.post(v.agent, transfer)
	v.fay.wantSays(c, ".needs", "finance 0 of 1", "security 0 of 1", "One rejection is enough to end it.")
	v.fay.wantSays(c, ".effects", "Your approval is 1 of 2. Then it waits for security.", "Your rejection ends it")
	v.fay.wantSays(c, "[aria-labelledby=policies]", "Large transfers", "version 1", "Call the supplier first.")
	if v.fay.open(c).doc(t).Find("[aria-labelledby=policies] a").Length() != 0 {
		t.Error("who may not read policies has a link to one")
	}
	if href := v.sue.open(c).doc(t).Find("[aria-labelledby=policies] a").AttrOr("href", ""); !strings.HasPrefix(href, "/policies/") {
		t.Errorf("who may read policies has the link %q", href)
	}

	next := v.post(v.agent, transfer)
	page := v.fay.votes(c, "decision", "approve", "reason", "Agreed by phone")
	if got := wordsIn(page, v.fay, ".my-vote"); !strings.Contains(got, "Your approval counts1 of 2; it waits for security.") || !strings.Contains(got, "You approved this as finance") {
		t.Errorf("after a vote the page says %q", got)
	}
	if got := page.doc(t).Find(".my-vote .next").AttrOr("href", ""); got != "/confirms/"+next.ID {
		t.Errorf("next is %q", got)
	}
	doc := page.doc(t)
	if doc.Find(".receipt").Length() != 0 || doc.Find("#confirm.is-pending").Length() != 1 || doc.Find(".action-head").Length() != 0 {
		t.Error("the page looks decided")
	}
	v.sue.wantSays(c, "[aria-labelledby=history]", "Votes", "fay as finance", "Agreed by phone")
	v.sue.wantSays(c, ".effects", "Your approval is the last one that is needed: it will run.")
	page = v.sue.votes(c, "decision", "approve")
	if got := wordsIn(page, v.sue, ".receipt"); !strings.Contains(got, "by sue and 1 other vote as security") || !strings.Contains(got, "finance 1 of 1") {
		t.Errorf("the receipt says %q", got)
	}
	v.fay.wantSays(c, "[aria-labelledby=history]", "fay as finance", "sue as security", "counted")
	if got := v.outcome(c.ID).Confirm.Status; got != domain.Approved {
		t.Errorf("it is %s", got)
	}
}

func TestVotes_TheSameAgainAndChanged(t *testing.T) {
	t.Parallel()
	v := newVotes(t, `,"rejections":2`)
	c := v.post(v.agent, transfer)
	form := v.fay.open(c)
	send := func(pairs ...string) *answer { return v.fay.submit(form, "/confirms/"+c.ID+"/decision", pairs...) }
	v.fay.want(send("decision", "approve"), http.StatusSeeOther)
	again := v.fay.want(send("decision", "approve"), http.StatusSeeOther)
	page := v.fay.want(v.fay.get(again.Header.Get("Location")), http.StatusOK)
	if got := wordsIn(page, v.fay, ".my-vote"); !strings.Contains(got, "Nothing new was counted") {
		t.Errorf("the same vote again says %q", got)
	}
	page = v.fay.open(c)
	if page.doc(t).Find(`[data-verdict=approve]`).Length() != 0 || page.doc(t).Find(`[data-verdict=reject]`).Length() != 1 {
		t.Error("who has approved can do so again, or cannot reject")
	}
	v.fay.wantSays(c, ".effects", "Your rejection is 1 of 2 that end it")
	page = v.fay.votes(c, "decision", "reject", "reason", "The account is new")
	if got := wordsIn(page, v.fay, ".my-vote"); !strings.Contains(got, "Your rejection counts1 of 2 rejections that end it; it waits for others.") {
		t.Errorf("after a rejection the page says %q", got)
	}
	v.fay.wantSays(c, ".decide", "Your vote stands", "A rejection cannot become an approval.")
	if v.fay.open(c).doc(t).Find("#decision-form").Length() != 0 {
		t.Error("who has rejected has a form")
	}
	v.sue.wantSays(c, "[aria-labelledby=history]", "replaced by a later vote", "The account is new")
	v.sue.wantSays(c, ".needs", "finance 0 of 1", "1 of 2 rejections that end it.")

	b := v.fay
	refused := b.want(send("decision", "approve", "reason", "typed"), http.StatusConflict)
	if got := refused.doc(t).Find("#main, main").Text(); !strings.Contains(got, "A rejection cannot become an approval.") || !strings.Contains(got, "typed") {
		t.Errorf("the refusal loses what was typed, or gives no reason:\n%s", got)
	}
	if got := v.sue.votes(c, "decision", "reject").doc(t).Find(".receipt").Text(); !strings.Contains(got, "Rejected") {
		t.Errorf("the second rejection does not end it: %s", got)
	}
}

func TestVotes_AnEditIsAVariant(t *testing.T) {
	t.Parallel()
	v := newVotes(t, "")
	c := v.post(v.agent, transfer)
	review := v.fay.want(v.fay.decide(c, "decision", "edit", "args_0", `{"amount":12000,"iban":"DE02120300000000202051"}`), http.StatusOK)
	if got := wordsIn(review, v.fay, ".effects"); got != "Your approval is 1 of 2. Then it waits for security." {
		t.Errorf("before the edit is confirmed the page says %q", got)
	}
	v.fay.want(v.fay.submit(review, "/confirms/"+c.ID+"/decision"), http.StatusSeeOther)

	v.sue.wantSays(c, "#variants", "Edited by fay: 1 of 2", `"amount": 12000`, "Your approval is the last one that is needed")
	v.sue.wantSays(c, ".effects", "Your approval is 1 of 2. Then it waits for finance. It counts for the request as it was asked, not for an edit.")
	v.sue.wantSays(c, "form .needs, .decide > .needs", "counted for what most voted for: edited by fay")
	v.sue.wantSays(c, "[aria-labelledby=history]", "edited")
	v.sue.votes(c, "decision", "approve")
	v.finn.wantSays(c, "#variants", "As asked: 1 of 2", "Edited by fay: 1 of 2")

	page := v.sue.open(c)
	button := page.doc(t).Find("#variants button").AttrOr("value", "")
	_, err := v.svc.Decide(v.ctx, v.fay.ref, c.ID, domain.DecisionInput{Status: domain.Approved, ContentHash: c.ContentHash})
	if err != nil { // nobody is for the edit any longer
		t.Fatal(err)
	}
	if got := v.outcome(c.ID).Confirm.Status; got != domain.Approved {
		t.Fatalf("it is %s", got)
	}
	v.sue.want(v.sue.submit(page, "/confirms/"+c.ID+"/decision", "decision", button), http.StatusUnprocessableEntity)
}

// A vote for an edit shows the edit before and after, and keeps the reason.
func TestVotes_ForAnEdit(t *testing.T) {
	t.Parallel()
	v := newVotes(t, "")
	for name, tc := range map[string]struct {
		post, field, args string
		others            []string
	}{
		"one action":  {transfer, "args_0", `{"amount":12000,"iban":"DE02"}`, []string{"decision", "edit"}},
		"two actions": {`{"target_type":"other","actions":[{"name":"log","args":{}},{"name":"wire_transfer","args":{"amount":25000}}]}`, "args_1", `{"amount":1e3,"x":"\u202e"}`, []string{"decision", "decide", "action_0", "approve", "action_1", "edit"}},
	} {
		t.Run(name, func(t *testing.T) {
			c, fay, sue := v.post(v.agent, tc.post), v.fay.in(t), v.sue.in(t)
			review := fay.want(fay.decide(c, append(tc.others, tc.field, tc.args)...), http.StatusOK)
			fay.want(fay.submit(review, "/confirms/"+c.ID+"/decision"), http.StatusSeeOther)

			page := sue.open(c)
			button := page.doc(t).Find("#variants button").AttrOr("value", "")
			typed := sue.want(sue.submit(page, "/confirms/"+c.ID+"/decision", "decision", button, tc.field, `{"amount":1}`, "reason", "Mine"), http.StatusUnprocessableEntity)
			if got := typed.doc(t).Find(`[name=` + tc.field + `]`).Text(); got != `{"amount":1}` || !strings.Contains(typed.text, "You changed these arguments.") {
				t.Errorf("an own edit is lost: %q", got)
			}
			review = sue.want(sue.submit(page, "/confirms/"+c.ID+"/decision", "decision", button, "reason", "As Fay says"), http.StatusOK)
			if got := wordsIn(review, sue, ".decide"); !strings.Contains(got, "last one that is needed") || !strings.Contains(got, "As Fay says") {
				t.Errorf("before it is confirmed the page says %q", got)
			}
			if got := v.outcome(c.ID).Confirm.Status; got != domain.Pending {
				t.Fatalf("before it is confirmed it is %s", got)
			}
			sue.want(sue.submit(review, "/confirms/"+c.ID+"/decision"), http.StatusSeeOther)
			o := v.outcome(c.ID)
			if o.Confirm.Status != domain.Approved || o.Decision.Reason != "As Fay says" {
				t.Fatalf("it is %s: %q", o.Confirm.Status, o.Decision.Reason)
			}
			if got := string(o.Decision.Actions[len(o.Decision.Actions)-1].Args); got != tc.args {
				t.Errorf("approved are %s", got)
			}
		})
	}
}

func TestVotes_InOneOfSeveralRoles(t *testing.T) {
	t.Parallel()
	v := newVotes(t, "")
	c := v.post(v.agent, transfer)
	options := func() string { return v.ed.says(c, "#decided_by_role") }
	if got := options(); got != "Automatic: financefinance: 1 of 2security: 1 of 2" {
		t.Errorf("at first the roles are %q", got)
	}
	v.fay.votes(c, "decision", "approve")
	if got := options(); got != "Automatic: securitysecurity: the last onefinance: brings it no further" {
		t.Errorf("then the roles are %q", got)
	}
	finance := v.ed.open(c).doc(t).Find("#decided_by_role option").Last().AttrOr("value", "")
	v.ed.votes(c, "decision", "approve", "decided_by_role", finance)
	if got := options(); got != "Automatic: financesecurity: the last onefinance: your vote stands" {
		t.Errorf("of who has voted the roles are %q", got)
	}
	page := v.ed.open(c)
	if page.doc(t).Find("[data-verdict=approve]").Length() != 0 || !strings.Contains(v.ed.says(c, ".verdicts"), "Approve in the chosen role") {
		t.Error("who has voted is asked again, or cannot vote in the other role")
	}
	if got := wordsIn(v.ed.votes(c, "decision", "approve"), v.ed, ".my-vote"); !strings.Contains(got, "Nothing new was counted") {
		t.Errorf("an approval moved by itself: %s", got)
	}
	v.ed.votes(c, "decision", "approve", "decided_by_role", page.doc(t).Find("#decided_by_role option").Eq(1).AttrOr("value", ""))
	if got := v.outcome(c.ID).Confirm.Status; got != domain.Approved {
		t.Errorf("it is %s", got)
	}
}

// Of an edit the automatic role is the one that it still needs.
func TestVotes_TheRoleThatAnEditNeeds(t *testing.T) {
	t.Parallel()
	v := newVotes(t, "")
	c := v.post(v.agent, transfer)
	review := v.fay.want(v.fay.decide(c, "decision", "edit", "args_0", `{"amount":12000}`), http.StatusOK)
	v.fay.want(v.fay.submit(review, "/confirms/"+c.ID+"/decision"), http.StatusSeeOther)
	v.sue.votes(c, "decision", "approve")
	v.ed.wantSays(c, "#variants", "Your approval as security is the last one that is needed")
	v.ed.wantSays(c, ".effects", "Your approval as finance is the last one that is needed")
	review = v.ed.want(v.ed.decide(c, "decision", v.ed.open(c).doc(t).Find("#variants button").AttrOr("value", "")), http.StatusOK)
	if got := wordsIn(review, v.ed, ".decide"); !strings.Contains(got, "Your approval as security is the last one") || !strings.Contains(got, "Decide assecurity") {
		t.Errorf("before it is confirmed the page says %q", got)
	}
	v.ed.want(v.ed.submit(review, "/confirms/"+c.ID+"/decision"), http.StatusSeeOther)
	if o := v.outcome(c.ID); o.Confirm.Status != domain.Approved || o.Decision.DecidedByRole != "security" {
		t.Errorf("it is %s as %s", o.Confirm.Status, o.Decision.DecidedByRole)
	}
}

func TestVotes_MessageToTheAgent(t *testing.T) {
	t.Parallel()
	v := newVotes(t, "")
	c := v.post(v.agent, transfer)
	v.fay.wantSays(c, `label[for="user_edit_content"]`, "only with a rejection")
	page := v.fay.want(v.fay.decide(c, "decision", "approve", "user_edit_content", "Half of it"), http.StatusUnprocessableEntity)
	doc := page.doc(t)
	if doc.Find("#user_edit_content").Text() != "Half of it" || !strings.Contains(doc.Find("#user_edit_content-error").Text(), "Several people must approve this") {
		t.Error("the message is lost, or not refused where it stands")
	}
	v.fay.votes(c, "decision", "reject", "user_edit_content", "Half of it")
	if got := v.outcome(c.ID).Decision.UserEditContent; got != "Half of it" {
		t.Errorf("the agent is told %q", got)
	}
}

func TestVotes_EscalationAndTimeout(t *testing.T) {
	t.Parallel()
	v := newVotes(t, `,"timeout":1200,"escalate":[{"after":900,"role":"ops_lead","for":"security"}]`)
	c := v.post(v.agent, transfer)
	v.fay.wantSays(c, ".needs", "from 2 Jan 2026, 03:19:05 UTC also ops_lead")
	v.oz.wantSays(c, ".decide", "You cannot decide this")
	v.pass(15 * time.Minute)
	v.fay.wantSays(c, ".needs", "ops_lead may vote in place of security")
	v.oz.votes(c, "decision", "approve")
	v.fay.wantSays(c, ".needs", "finance 0 of 1", "security 1 of 1")
	v.pass(5 * time.Minute)
	v.fay.wantSays(c, ".receipt", "Timed out", "1 of 2 approvals in time", "security 1 of 1")
	v.fay.wantSays(c, "[aria-labelledby=history]", "oz as ops_lead", "1 of 2 approvals in time")
	if got := v.fay.get("/confirms?status=decided").doc(t).Find("#row-" + c.ID).Text(); !strings.Contains(got, "not enough approvals in time") {
		t.Errorf("the inbox says %s", got)
	}
}

func TestVotes_LapsedAndMissing(t *testing.T) {
	t.Parallel()
	v := newVotes(t, "")
	c := v.post(v.agent, `{"target_type":"other","actions":[{"name":"wire_transfer","args":{"total":25000}}]}`)
	v.fay.wantSays(c, "[aria-labelledby=policies]", "matched, because args.amount is missing")
	v.fay.votes(c, "decision", "approve")
	if err := v.svc.AssignRoles(v.ctx, domain.System, v.fay.ref.ID, []string{"ops_lead"}); err != nil {
		t.Fatal(err)
	}
	v.sue.wantSays(c, "[aria-labelledby=history]", "no longer counts: lost the role or the account")
	v.sue.wantSays(c, ".needs", "finance 0 of 1")
	v.fay.wantSays(c, ".my-vote", "Your approval no longer counts")
}

func TestVotes_RejectedByAPolicy(t *testing.T) {
	t.Parallel()
	v := newVotes(t, "")
	v.newPolicy(`{"v":1,"name":"No wiping","effect":"reject","match":{"tools":["wipe"]},"note":"Ask for a copy instead."}`)
	c := v.post(v.agent, `{"target_type":"other","actions":[{"name":"wipe","args":{}}]}`)
	v.fay.wantSays(c, ".receipt", "Rejected by a policy", "rejected by the policy No wiping, version 1", "Ask for a copy instead.")
	v.fay.wantSays(c, "[aria-labelledby=history]", "Rejected by a policy", "rejected by the policy No wiping, version 1")
	v.fay.wantSays(c, "[aria-labelledby=policies]", "No wiping")
	if got := v.fay.get("/confirms?status=decided").doc(t).Find("#row-" + c.ID).Text(); !strings.Contains(got, "Rejected by a policy") {
		t.Errorf("the inbox says %s", got)
	}
}

func TestVotes_Inbox(t *testing.T) {
	t.Parallel()
	v := newVotes(t, "")
	c := v.post(v.agent, transfer)
	v.post(v.agent, trade)
	row := func(b *browser, query string) string {
		return wordsIn(b.want(b.get("/confirms"+query), http.StatusOK), b, "#row-"+c.ID+" .row-side")
	}
	if got := row(v.fay, ""); !strings.Contains(got, "0 of 2 approvals") {
		t.Errorf("at first the row says %q", got)
	}
	v.fay.votes(c, "decision", "approve")
	if got := row(v.fay, ""); !strings.Contains(got, "Waiting for others") || !strings.Contains(got, "1 of 2 approvals") || strings.Contains(got, "Needs your decision") {
		t.Errorf("after a vote the row says %q", got)
	}
	if got := row(v.fay, "?mine=1"); got != "" {
		t.Errorf("what is voted on still waits for the reader: %q", got)
	}
	if got := row(v.sue, "?mine=1"); !strings.Contains(got, "1 of 2 approvals") {
		t.Errorf("it does not wait for the other: %q", got)
	}
}
