package web_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"countersign/domain"
)

const (
	trade    = `{"target_type":"other","reason":"Buy low","actions":[{"name":"execute_trade","args":{"symbol":"VNM","quantity":100,"limit":1e400}}]}`
	twoCalls = `{"target_type":"other","actions":[{"name":"delete_table","args":{"table":"users"}},{"name":"send_mail","args":{"to":"all"}}]}`
	noEdits  = `{"target_type":"other","actions":[{"name":"wipe","args":{}}],"review_configs":[{"allowed_decisions":["approve"]}]}`
	bare     = `{"target_type":"other","reason":"Trust me"}`

	tradeArgs = `{"symbol":"VNM","quantity":100,"limit":1e400}`
	fewer     = "{\r\n  \"symbol\": \"VNM\",\r\n  \"quantity\": 50,\r\n  \"limit\": 1e400\r\n}"
)

// open loads a confirm's page.
func (b *browser) open(c *domain.Confirm) *answer {
	b.t.Helper()
	return b.want(b.get("/confirms/"+c.ID), http.StatusOK)
}

// decide sends the decision form of a confirm's page.
func (b *browser) decide(c *domain.Confirm, pairs ...string) *answer {
	b.t.Helper()
	return b.submit(b.open(c), "/confirms/"+c.ID+"/decision", pairs...)
}

func TestDecisionEndsTheConfirm(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b, agent := w.user("reviewer", "reviewer"), w.asker()
	for _, tc := range []struct {
		name, post string
		form       []string
		want       domain.Status
		kinds      []string
		reason     string
		intent     string
	}{
		{"approve one action", trade, []string{"decision", "approve", "args_0", tradeArgs}, domain.Approved, []string{"approve"}, "", ""},
		{"reject with a reason", trade, []string{"decision", "reject", "reason", "Not today"}, domain.Rejected, []string{"reject"}, "Not today", ""},
		{"request changes", trade, []string{"decision", "request_changes", "user_edit_content", "Buy less"}, domain.Rejected, []string{"reject"}, "Buy less", domain.IntentRequestChanges},
		{"approve all actions", twoCalls, []string{"decision", "approve"}, domain.Approved, []string{"approve", "approve"}, "", ""},
		{"decide each action", twoCalls, []string{"decision", "decide", "action_0", "reject", "action_1", "approve"}, domain.Rejected, []string{"reject", "approve"}, "", ""},
		{"approve without actions", bare, []string{"decision", "approve"}, domain.Approved, nil, "", ""},
		{"reject without actions", bare, []string{"decision", "reject"}, domain.Rejected, nil, "", ""},
		{"approve what allows no edit", noEdits, []string{"decision", "approve", "args_0", "{}"}, domain.Approved, []string{"approve"}, "", ""},
		{"reject what allows approval only", noEdits, []string{"decision", "reject"}, domain.Rejected, []string{"reject"}, "", ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			b, c := b.in(t), w.post(agent, tc.post)
			answer := b.want(b.decide(c, tc.form...), http.StatusSeeOther)
			if got, want := answer.Header.Get("Location"), "/confirms/"+c.ID+"?receipt=1"; got != want {
				t.Errorf("location %q, want %q", got, want)
			}
			o := w.outcome(c.ID)
			if o.Confirm.Status != tc.want || o.Decision.Reason != tc.reason || o.Decision.Intent != tc.intent {
				t.Errorf("status %s, reason %q, intent %q", o.Confirm.Status, o.Decision.Reason, o.Decision.Intent)
			}
			var kinds []string
			for _, d := range o.Decision.Actions {
				kinds = append(kinds, d.Type)
			}
			if diff := cmp.Diff(tc.kinds, kinds); diff != "" {
				t.Errorf("decisions (-want +got):\n%s", diff)
			}
		})
	}
}

func TestDecisionIsRefused(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b, agent := w.user("reviewer", "reviewer"), w.asker()
	for _, tc := range []struct {
		name, post string
		form       []string
		field      string // whose message is shown; empty: the form's
		message    string
	}{
		{"nothing chosen", trade, nil, "", "Choose what to decide."},
		{"unknown decision", trade, []string{"decision", "maybe"}, "", "Choose what to decide."},
		{"changed without edit", trade, []string{"decision", "approve", "args_0", fewer}, "args_0", "Choose Edit, or undo the change."},
		{"changed and rejected", trade, []string{"decision", "reject", "args_0", fewer}, "args_0", "Choose Edit, or undo the change."},
		{"emptied without edit", trade, []string{"decision", "approve", "args_0", ""}, "args_0", "Choose Edit, or undo the change."},
		{"rounded without edit", trade, []string{"decision", "approve", "args_0", `{"symbol":"VNM","quantity":100.0,"limit":1e400}`}, "args_0", "Choose Edit, or undo the change."},
		{"edit that changes nothing", trade, []string{"decision", "edit", "args_0", " " + tradeArgs + "\n"}, "args_0", "changes nothing"},
		{"edit without arguments", trade, []string{"decision", "edit"}, "args_0", "Enter the arguments"},
		{"edit that is no JSON", trade, []string{"decision", "edit", "args_0", "{quantity:50}"}, "args_0", "JSON is not accepted"},
		{"edit with a member twice", trade, []string{"decision", "edit", "args_0", `{"a":1,"a":2}`}, "args_0", "JSON is not accepted"},
		{"edit that is no object", trade, []string{"decision", "edit", "args_0", `[50]`}, "args_0", "JSON object"},
		{"edit that is not allowed", noEdits, []string{"decision", "edit", "args_0", `{"a":1}`}, "", ""},
		{"one action not decided", twoCalls, []string{"decision", "decide", "action_0", "approve"}, "action_1", "Decide on this action too."},
		{"unknown choice", twoCalls, []string{"decision", "decide", "action_0", "approve", "action_1", "yes"}, "action_1", "Choose approve, reject or edit."},
		{"button against choice", twoCalls, []string{"decision", "approve", "action_1", "reject"}, "action_1", "Nothing was decided."},
		{"request changes against choice", twoCalls, []string{"decision", "request_changes", "reason", "no", "action_0", "approve"}, "action_0", "Nothing was decided."},
		{"an action that is not there", twoCalls, []string{"decision", "approve", "action_2", "approve"}, "", "There is no action"},
		{"an action written otherwise", twoCalls, []string{"decision", "approve", "action_00", "approve"}, "", "There is no action"},
		{"request changes without words", trade, []string{"decision", "request_changes", "reason", " "}, "reason", "Say what has to change."},
		{"edit without actions", bare, []string{"decision", "edit"}, "", "approve or reject"},
		{"each without actions", bare, []string{"decision", "decide"}, "", "approve or reject"},
		{"no content hash", trade, []string{"decision", "approve", "content_hash", ""}, "", "content hash"},
		{"malformed content hash", trade, []string{"decision", "approve", "content_hash", "sha256:abc"}, "", "hexadecimal"},
		{"no content hash with an edit", trade, []string{"decision", "edit", "args_0", fewer, "content_hash", ""}, "", "content hash"},
		{"confirmed without an edit", trade, []string{"decision", "approve", "confirmed", "sha256:abc"}, "", "not the edit"},
		{"confirmed another edit", trade, []string{"decision", "edit", "args_0", fewer, "confirmed", "sha256:abc"}, "", "not the edit"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			b, c := b.in(t), w.post(agent, tc.post)
			head := w.head()
			page := b.want(b.decide(c, append([]string{"reason", "kept words"}, tc.form...)...), http.StatusUnprocessableEntity)
			if w.head() != head || w.outcome(c.ID).Confirm.IsFinal() {
				t.Error("something was decided")
			}
			doc := page.doc(t)
			message := doc.Find(".decide .notice").Text()
			if tc.field != "" {
				message = doc.Find("#" + tc.field + "-error").Text()
			}
			if !strings.Contains(message, tc.message) {
				t.Errorf("message %q, want %q", message, tc.message)
			}
			want := "kept words"
			if got := doc.Find("#reason").Text(); got != want && !strings.Contains(tc.name, "request changes") {
				t.Errorf("reason %q, want %q", got, want)
			}
		})
	}
}

func TestDecisionKeepsWhatWasSent(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b := w.user("reviewer", "reviewer")
	c := w.post(w.asker(), twoCalls)
	page := b.want(b.decide(c, "decision", "decide", "action_0", "reject", "action_1", "edit", "args_1", "{broken", "user_edit_content", "to you"), http.StatusUnprocessableEntity)
	doc := page.doc(t)
	if _, checked := doc.Find("input[name=action_0][value=reject]").Attr("checked"); !checked {
		t.Error("the choice for action 0 is lost")
	}
	if got := doc.Find("#args_1").Text(); got != "{broken" {
		t.Errorf("editor %q", got)
	}
	if got := doc.Find("#user_edit_content").Text(); got != "to you" {
		t.Errorf("message to the agent %q", got)
	}
	if _, open := doc.Find("details[data-editor=\"1\"]").Attr("open"); !open {
		t.Error("the editor is closed over its error")
	}
}

func TestEditIsShownBeforeItIsApproved(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b := w.user("reviewer", "reviewer")
	c := w.post(w.asker(), trade)
	head := w.head()
	review := b.want(b.decide(c, "decision", "edit", "args_0", fewer, "reason", "The limit is 50"), http.StatusOK)
	if w.head() != head {
		t.Fatal("the first post decided")
	}
	if !strings.Contains(review.text, "100") || !strings.Contains(review.text, "50") {
		t.Error("before and after are not both shown")
	}
	b.want(b.submit(review, "/confirms/"+c.ID+"/decision"), http.StatusSeeOther)
	o := w.outcome(c.ID)
	if got, want := string(o.Decision.Actions[0].Args), `{"symbol":"VNM","quantity":50,"limit":1e400}`; got != want {
		t.Errorf("approved %s, want %s", got, want)
	}
	if o.Confirm.Status != domain.Approved || o.Confirm.EffectiveHash == o.Confirm.ContentHash || o.Decision.Reason != "The limit is 50" {
		t.Errorf("status %s, effective hash %s, reason %q", o.Confirm.Status, o.Confirm.EffectiveHash, o.Decision.Reason)
	}
}

func TestEditOfOneOfSeveralActions(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b := w.user("reviewer", "reviewer")
	c := w.post(w.asker(), twoCalls)
	review := b.want(b.decide(c, "decision", "decide", "action_0", "reject", "action_1", "edit", "args_1", `{"to":"team"}`), http.StatusOK)
	_, form := b.form(review, "/confirms/"+c.ID+"/decision")
	if form.Get("action_0") != "reject" || form.Get("confirmed") == "" {
		t.Errorf("hidden fields %v", form)
	}
	b.want(b.submit(review, "/confirms/"+c.ID+"/decision"), http.StatusSeeOther)
	o := w.outcome(c.ID)
	if o.Confirm.Status != domain.Rejected || o.Decision.Actions[1].Type != domain.ActionEdit {
		t.Errorf("status %s, decisions %+v", o.Confirm.Status, o.Decision.Actions)
	}
}

// An edit that was shown and then changed on the way back is not approved.
func TestEditMustBeTheOneThatWasShown(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b := w.user("reviewer", "reviewer")
	c := w.post(w.asker(), trade)
	review := b.want(b.decide(c, "decision", "edit", "args_0", fewer), http.StatusOK)
	b.want(b.submit(review, "/confirms/"+c.ID+"/decision", "args_0", `{"quantity":1000000}`), http.StatusUnprocessableEntity)
	if w.outcome(c.ID).Confirm.IsFinal() {
		t.Error("an edit that nobody saw was approved")
	}
}

func TestC25_SecondDecisionMeetsTheFirst(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	first, second := w.user("first", "reviewer"), w.user("second", "reviewer")
	c := w.post(w.asker(), trade)
	page := second.open(c)
	first.want(first.decide(c, "decision", "reject", "reason", "no"), http.StatusSeeOther)
	answer := second.want(second.submit(page, "/confirms/"+c.ID+"/decision", "decision", "approve", "reason", "Fine", "user_edit_content", "Go on"), http.StatusConflict)
	if got := answer.doc(t).Find(".conflict[data-focus]").Text(); !strings.Contains(got, "first rejected it before you") {
		t.Errorf("the page does not say who decided: %q", got)
	}
	if got := answer.doc(t).Find("#unsent:not([hidden]) p").Text(); got != "Fine\nGo on" {
		t.Errorf("the words that were sent are given back as %q", got)
	}
	if w.outcome(c.ID).Confirm.Status != domain.Rejected {
		t.Error("the second decision won")
	}
	edit := second.submit(page, "/confirms/"+c.ID+"/decision", "decision", "edit", "args_0", fewer)
	second.want(edit, http.StatusConflict)
}

func TestDecisionAtTheDeadlineLoses(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b := w.user("reviewer", "reviewer")
	c := w.post(w.asker(), trade)
	page := b.open(c)
	w.pass(300 * time.Second)
	answer := b.want(b.submit(page, "/confirms/"+c.ID+"/decision", "decision", "approve"), http.StatusConflict)
	if !strings.Contains(answer.text, "The deadline has passed") {
		t.Error("the page does not say that the deadline has passed")
	}
	if o := w.outcome(c.ID); o.Confirm.Cause != domain.CauseTimeout {
		t.Errorf("cause %s", o.Confirm.Cause)
	}
}

// A timeout never reads like a human "no", in lists either.
func TestTimeoutIsNoRejectionInLists(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b, agent := w.user("reviewer", "reviewer"), w.asker()
	id := w.plan(agent, "plan-1")
	late := w.post(agent, `{"target_type":"plan","target_id":"`+id+`","timeout":5}`)
	w.pass(5 * time.Second)
	next := w.post(agent, `{"target_type":"plan","target_id":"`+id+`","supersedes":"`+late.ID+`"}`)
	for _, tc := range []struct{ name, path, list string }{
		{"decided tab", "/confirms?status=decided", ".row-side .badge"},
		{"confirms of a plan", "/plans/" + id, ".refs li:has(a[href='/confirms/" + late.ID + "']) .badge"},
		{"asked before", "/confirms/" + next.ID, "section[aria-labelledby=supersedes] .badge"},
		{"decision history", "/confirms/" + late.ID, "section[aria-labelledby=history] .badge"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			b := b.in(t)
			if got := strings.TrimSpace(b.want(b.get(tc.path), http.StatusOK).doc(t).Find(tc.list).First().Text()); got != "Timed out" {
				t.Errorf("%q", got)
			}
		})
	}
}

// Where there is nothing to look at the page says so.
// Arguments that fill the limit of a body can be decided on, however many lines
// they are shown in: the form has an editor only where it has room for one.
func TestEveryConfirmCanBeDecided(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b, agent := w.user("reviewer", "reviewer"), w.asker()
	for _, tc := range []struct {
		name, args string
		editor     bool
	}{
		{"a few", tradeArgs, true},
		{"letters that a form escapes", `{"text":"` + strings.Repeat("م", 125_000) + `"}`, true},
		{"a line for each number", `{"list":[` + strings.Repeat("1,", 100_000) + `1]}`, false},
		{"deep ones", `{"list":[[[[[[[[[[[[[[[[[[[[` + strings.Repeat("1,", 30_000) + `1]]]]]]]]]]]]]]]]]]]]}`, false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			b, c := b.in(t), w.post(agent, `{"target_type":"other","actions":[{"name":"write","args":`+tc.args+`}]}`)
			page := b.open(c)
			fields := []string{"decision", "approve"}
			editor := page.doc(t).Find(`textarea[name="args_0"]`)
			if shown := editor.Length() == 1; shown != tc.editor {
				t.Errorf("there is an editor: %t, want %t", shown, tc.editor)
			} else if shown {
				fields = append(fields, "args_0", strings.ReplaceAll(editor.Text(), "\n", "\r\n"))
			}
			b.want(b.submit(page, "/confirms/"+c.ID+"/decision", fields...), http.StatusSeeOther)
		})
	}
}

func TestConfirmOfNothingButItsReason(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b, agent := w.user("reviewer", "reviewer"), w.asker()
	for _, tc := range []struct {
		name, post string
		want       int
	}{
		{"neither actions nor plan", bare, 1},
		{"a context that is not there", `{"target_type":"context","target_id":"gone","reason":"Trust me"}`, 1},
		{"a tool call", trade, 0},
		{"a plan", `{"target_type":"plan","target_id":"` + w.plan(agent, "plan-1") + `"}`, 0},
	} {
		t.Run(tc.name, func(t *testing.T) {
			b := b.in(t)
			notice := b.open(w.post(agent, tc.post)).doc(t).Find("section[aria-labelledby=what] .notice")
			if notice.Length() != tc.want || tc.want == 1 && !strings.Contains(notice.Text(), "No action attached") {
				t.Errorf("%d notices: %q", notice.Length(), notice.Text())
			}
		})
	}
}

// What the page says of several actions is what the server then does.
func TestSeveralActionsRunAsThePageSays(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b, agent := w.user("reviewer", "reviewer"), w.asker()
	calls := strings.TrimPrefix(twoCalls, `{"target_type":"other"`)
	for _, tc := range []struct {
		name, post, says, receipt string
		runs                      bool
	}{
		{"no plan", twoCalls, "Only the actions you approve or edit may run.", "Only the approved actions may run.", true},
		{"a step", `{"target_type":"plan","target_id":"` + w.plan(agent, "plan-1") + `","step_id":"s1"` + calls,
			"If you reject one, none of them may run.", "None of the actions may run.", false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			b, c := b.in(t), w.post(agent, tc.post)
			if got := b.open(c).doc(t).Find("#decision-form").Text(); !strings.Contains(got, tc.says) {
				t.Errorf("the form does not say %q: %s", tc.says, got)
			}
			answer := b.want(b.decide(c, "decision", "decide", "action_0", "approve", "action_1", "reject"), http.StatusSeeOther)
			if got := b.want(b.get(answer.Header.Get("Location")), http.StatusOK).doc(t).Find(".receipt").Text(); !strings.Contains(got, tc.receipt) {
				t.Errorf("the receipt does not say %q: %s", tc.receipt, got)
			}
			hash := w.outcome(c.ID).Decision.Actions[0].ArgsHash
			_, err := w.svc.Consume(w.ctx, agent, domain.ConsumeInput{ConfirmID: c.ID, ExecutionID: "run-1", Action: new(int64), ArgsHash: hash})
			if (err == nil) != tc.runs {
				t.Errorf("the approved action runs: %v", err)
			}
		})
	}
}

func TestDecisionOnOtherContentIsRefused(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b := w.user("reviewer", "reviewer")
	c := w.post(w.asker(), trade)
	other := "sha256:" + strings.Repeat("0", 64)
	page := b.want(b.decide(c, "decision", "approve", "content_hash", other, "reason", "typed"), http.StatusConflict)
	if got := page.doc(t).Find("#reason").Text(); got != "typed" {
		t.Errorf("reason %q is lost", got)
	}
	b.want(b.decide(c, "decision", "edit", "args_0", fewer, "content_hash", other), http.StatusConflict)
}

func TestDecisionOfWhoMayNot(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	agent := w.asker()
	c := w.post(agent, trade)
	locked := w.post(agent, `{"target_type":"other","governance":{"locked":true},"actions":[{"name":"a","args":{}}]}`)
	required := w.post(agent, `{"target_type":"other","required_role":"human_user"}`)
	for _, tc := range []struct {
		name    string
		roles   []string
		confirm *domain.Confirm
		want    int
	}{
		{"no right at all", []string{w.role("guest", "collab.join")}, c, http.StatusNotFound},
		{"reads only", []string{"executor"}, c, http.StatusForbidden},
		{"approves only", []string{"human_user"}, c, http.StatusForbidden},
		{"not the required role", []string{"reviewer"}, required, http.StatusForbidden},
		{"locked", []string{"reviewer"}, locked, http.StatusLocked},
	} {
		t.Run(tc.name, func(t *testing.T) {
			b := w.user(strings.ReplaceAll(tc.name, " ", "-"), tc.roles...).in(t)
			account := b.want(b.get("/account"), http.StatusOK)
			_, form := b.form(account, "/account/password")
			head := w.head()
			b.want(b.do(http.MethodPost, "/confirms/"+tc.confirm.ID+"/decision", url.Values{
				"csrf": form["csrf"], "decision": {"reject"}, "content_hash": {tc.confirm.ContentHash},
			}), tc.want)
			if w.head() != head {
				t.Error("the log grew")
			}
		})
	}
}

func TestDecisionByHTMXAnswersWithTheReceipt(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b, agent := w.user("reviewer", "reviewer"), w.asker()
	c, next := w.post(agent, trade), w.post(agent, twoCalls)
	page := b.open(c)
	b.htmx = true
	answer := b.want(b.submit(page, "/confirms/"+c.ID+"/decision", "decision", "approve"), http.StatusOK)
	doc := answer.doc(t)
	if strings.Contains(answer.text, "<html") || doc.Find("#confirm.is-approved").Length() != 1 {
		t.Error("the answer is not the component alone")
	}
	if got := doc.Find("a.next").AttrOr("href", ""); got != "/confirms/"+next.ID {
		t.Errorf("next %q", got)
	}
}

func TestDecisionLeadsToTheNextOfTheFilter(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b, agent := w.user("reviewer", "reviewer"), w.asker()
	c := w.post(agent, trade)
	w.post(agent, twoCalls)
	wanted := w.post(agent, `{"target_type":"other","timeout":900,"actions":[{"name":"execute_trade","args":{"n":2}}]}`)
	inbox := b.want(b.get("/confirms?q=execute_trade"), http.StatusOK)
	link := inbox.doc(t).Find("#row-"+c.ID+" .row-link").AttrOr("href", "")
	if want := "/confirms/" + c.ID + "?from=q%3Dexecute_trade"; link != want {
		t.Fatalf("link %q, want %q", link, want)
	}
	answer := b.want(b.submit(b.get(link), "/confirms/"+c.ID+"/decision", "decision", "approve"), http.StatusSeeOther)
	receipt := b.want(b.get(answer.Header.Get("Location")), http.StatusOK)
	if got, want := receipt.doc(t).Find("a.next").AttrOr("href", ""), "/confirms/"+wanted.ID+"?from=q%3Dexecute_trade"; got != want {
		t.Errorf("next %q, want %q", got, want)
	}
	if got := receipt.doc(t).Find("a.next small").Text(); got != "1 waiting" {
		t.Errorf("left %q", got)
	}
}

// What is left is counted as far as one page reads.
func TestDecisionCountsNoFurtherThanAPage(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b, agent := w.user("reviewer", "reviewer"), w.asker()
	c := w.post(agent, trade)
	for range domain.MaxPage {
		w.post(agent, bare)
	}
	at := "/confirms/" + c.ID + "?receipt=1"
	left := func() string { return b.get(at).doc(t).Find("a.next small").Text() }
	b.want(b.decide(c, "decision", "approve"), http.StatusSeeOther)
	if got := left(); got != "200 waiting" {
		t.Errorf("left %q", got)
	}
	if got := strings.TrimSpace(b.get("/confirms").doc(t).Find(".tabs .count").Text()); got != "200" {
		t.Errorf("count %q", got)
	}
	w.post(agent, bare)
	if got := left(); got != "200+ waiting" {
		t.Errorf("left %q", got)
	}
	if got := strings.TrimSpace(b.get("/confirms").doc(t).Find(".tabs .count").Text()); got != "200+" {
		t.Errorf("count %q", got)
	}
}

func TestCancelConfirm(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b := w.user("reviewer", "reviewer")
	c := w.post(w.asker(), trade)
	page := b.open(c)
	b.want(b.submit(page, "/confirms/"+c.ID+"/cancel", "reason", "asked twice"), http.StatusSeeOther)
	if got := w.outcome(c.ID).Confirm.Status; got != domain.Cancelled {
		t.Errorf("status %s", got)
	}
	b.want(b.submit(page, "/confirms/"+c.ID+"/cancel"), http.StatusConflict)
}
