package web_test

import (
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"countersign/domain"
	"countersign/domain/mplp"
	"countersign/web"
)

func TestInboxListsWhatWaits(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b, agent := w.user("reviewer", "reviewer"), w.asker()
	w.post(agent, bare)
	c := w.post(agent, trade)
	w.post(agent, `{"target_type":"other","reason":"old","status":"approved","decisions":[{"decision_id":"d1","status":"approved","decided_by_role":"boss","decided_at":"2025-01-01T00:00:00Z"}]}`)
	doc := b.want(b.get("/confirms"), http.StatusOK).doc(t)
	if got := doc.Find(".row").Length(); got != 2 {
		t.Errorf("%d rows, want the pending ones without the import", got)
	}
	if got := doc.Find(".row").First().AttrOr("id", ""); got != "row-"+c.ID {
		t.Errorf("first is %s, want the one with the soonest deadline", got)
	}
	if got := doc.Find(".row").First().Find(".tool").Text(); strings.TrimSpace(got) != "execute_trade" {
		t.Errorf("tool %q", got)
	}
	b.want(b.decide(c, "decision", "approve"), http.StatusSeeOther)
	if got := b.get("/confirms?status=decided").doc(t).Find(".row").Length(); got != 2 {
		t.Errorf("%d decided rows, want the decided one and the import", got)
	}
}

func TestInboxGoesOnPageByPage(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b, agent := w.user("reviewer", "reviewer"), w.asker()
	for range domain.DefaultPage + 1 {
		w.post(agent, trade)
	}
	first := b.want(b.get("/confirms?q=execute"), http.StatusOK).doc(t)
	next := first.Find("a[rel=next]").AttrOr("href", "")
	second := b.want(b.get(next), http.StatusOK).doc(t)
	if got := second.Find(".row").Length(); got != 1 {
		t.Errorf("%d rows on the second page at %q", got, next)
	}
	b.want(b.get("/confirms?cursor=garbage"), http.StatusUnprocessableEntity)
}

func TestC2_PlanIsProposedAndDecided(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	planner, reviewer := w.user("planner", "planner"), w.user("reviewer", "reviewer")
	id := w.plan(w.asker(), "plan-1")
	page := planner.want(planner.get("/plans/"+id), http.StatusOK)
	doc := page.doc(t)
	if got := doc.Find(".drawing a.step").Length(); got != 3 {
		t.Errorf("%d steps drawn, want 3", got)
	}
	if got := doc.Find("#step-2 [data-label=After] a").AttrOr("href", ""); got != "#step-1" {
		t.Errorf("step 2 comes after %q", got)
	}
	planner.want(planner.submit(page, "/plans/"+id+"/propose"), http.StatusSeeOther)
	planner.want(planner.submit(page, "/plans/"+id+"/propose"), http.StatusConflict)

	link := reviewer.get("/confirms").doc(t).Find(".row-link")
	if got := strings.TrimSpace(link.Text()); got != "Fix the login" {
		t.Errorf("the inbox names the plan %q", got)
	}
	confirm := reviewer.want(reviewer.get(link.AttrOr("href", "")), http.StatusOK)
	action := link.AttrOr("href", "") + "/decision"
	reviewer.want(reviewer.submit(confirm, action, "decision", "request_changes", "reason", "Test it first"), http.StatusSeeOther)
	if got := planner.get("/plans/" + id).doc(t).Find(".kicker").Text(); !strings.Contains(got, "Draft") {
		t.Errorf("the plan is %q", got)
	}
	// Proposed again, the confirm says what was said before.
	planner.want(planner.submit(page, "/plans/"+id+"/propose"), http.StatusSeeOther)
	again := reviewer.get(reviewer.get("/confirms").doc(t).Find(".row-link").AttrOr("href", ""))
	if got := again.doc(t).Find("section[aria-labelledby=supersedes]").Text(); !strings.Contains(got, "Test it first") {
		t.Errorf("asked before: %q", got)
	}
}

// What a confirm says that it follows, and what says that it follows a confirm,
// keeps nobody from deciding it: agents may say anything of that.
func TestConfirmFollowsAnything(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b, agent := w.user("reviewer", "reviewer"), w.asker()
	follow := func(id, before string) *domain.Confirm {
		return w.post(agent, `{"confirm_id":"`+id+`","target_type":"other","supersedes":"`+before+`"}`)
	}
	w.post(agent, `{"confirm_id":"first","target_type":"other"}`)
	for i := range 12 {
		follow("copy-"+strconv.Itoa(i), "first")
	}
	for _, tc := range []struct {
		name           string
		confirm        *domain.Confirm
		earlier, later int
	}{
		{"what there is not", follow("a", "nothing"), 0, 1},
		{"what follows what there is not", follow("b", "a"), 1, 0},
		{"itself", follow("c", "c"), 10, 1},
		{"what very many follow", follow("first-2", "first"), 1, 0},
	} {
		t.Run(tc.name, func(t *testing.T) {
			b := b.in(t)
			doc := b.want(b.open(tc.confirm), http.StatusOK).doc(t)
			earlier, later := doc.Find("section[aria-labelledby=supersedes] li"), doc.Find("section[aria-labelledby=superseded-by] li")
			if earlier.Length() != tc.earlier || later.Length() != tc.later {
				t.Errorf("%d before and %d after, want %d and %d", earlier.Length(), later.Length(), tc.earlier, tc.later)
			}
			b.want(b.decide(tc.confirm, "decision", "approve"), http.StatusSeeOther)
		})
	}
	if got := b.get("/confirms/first").doc(t).Find("section[aria-labelledby=superseded-by] li").Length(); got != 10 {
		t.Errorf("%d of those that follow the first are shown, want 10", got)
	}
}

// What others say follows a confirm does not hide what its own requester has asked
// for instead.
func TestConfirmShowsItsOwnSuccessor(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	agent, owner, reviewer := w.asker(), w.user("owner", w.role("idle", "confirm.request")), w.user("reviewer", "reviewer")
	key, _, err := w.svc.CreateKey(w.ctx, domain.System, domain.KeyInput{Name: "own", Roles: []string{"asker"}, Owner: owner.ref.ID})
	if err != nil {
		t.Fatal(err)
	}
	own := domain.Ref{Kind: domain.KindAgent, ID: key.ID}
	first := w.post(own, `{"target_type":"other"}`)
	for range 12 {
		w.post(agent, `{"target_type":"other","supersedes":"`+first.ID+`"}`)
	}
	second := w.post(own, `{"target_type":"other","supersedes":"`+first.ID+`"}`)
	for name, b := range map[string]*browser{"who asked": owner, "who decides": reviewer} {
		t.Run(name, func(t *testing.T) {
			later := b.in(t).open(first).doc(t).Find("section[aria-labelledby=superseded-by]")
			if got := later.Find("a").First().AttrOr("href", ""); got != "/confirms/"+second.ID {
				t.Errorf("the first to follow is %q", got)
			}
		})
	}
}

func TestP14b_DraftIsAbandoned(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b := w.user("planner", "planner")
	id := w.plan(w.asker(), "plan-1")
	page := b.get("/plans/" + id)
	b.want(b.submit(page, "/plans/"+id+"/cancel", "reason", "not needed"), http.StatusSeeOther)
	again := b.want(b.submit(page, "/plans/"+id+"/cancel", "reason", "asked twice"), http.StatusConflict).doc(t)
	if refusal, words := again.Find(".conflict[data-focus]").Text(), again.Find("#unsent:not([hidden]) p").Text(); refusal == "" || words != "asked twice" {
		t.Errorf("the refusal is %q, with the words %q", refusal, words)
	}
	if got := again.Find(".card .hint").Text(); !strings.Contains(got, "The plan has ended with 3 steps not done. No step runs any more") {
		t.Errorf("of steps that are pending for good the page says %q", got)
	}
	if got := b.want(b.get("/plans?status=lost"), http.StatusOK).doc(t).Find(".row").Length(); got != 1 {
		t.Errorf("with a status that there is none of, %d plans, want all", got)
	}
	if got := b.want(b.get("/plans?status=cancelled"), http.StatusOK).doc(t).Find(".row").Length(); got != 1 {
		t.Errorf("%d cancelled plans", got)
	}
}

func TestLargePlanIsDrawnAroundTheGate(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	var steps strings.Builder
	for i := range 600 {
		if i > 0 {
			steps.WriteString(",")
		}
		steps.WriteString(`{"step_id":"s` + strconv.Itoa(i) + `","description":"Step ` + strconv.Itoa(i) + `"`)
		if i > 0 {
			steps.WriteString(`,"dependencies":["s` + strconv.Itoa(i-1) + `"]`)
		}
		steps.WriteString("}")
	}
	agent := w.asker()
	in, err := mplp.ParsePlan([]byte(`{"plan_id":"long","context_id":"c","title":"Long","objective":"Far","steps":[`+steps.String()+`]}`), w.svc.Limits().Wire())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.svc.PostPlan(w.ctx, agent, in); err != nil {
		t.Fatal(err)
	}
	c := w.post(agent, `{"target_type":"plan","target_id":"long","step_id":"s300"}`)
	doc := w.user("reviewer", "reviewer").open(c).doc(t)
	if drawn := doc.Find(".drawing a.step").Length(); drawn != 5 {
		t.Errorf("%d steps drawn, want the gated one and two to each side", drawn)
	}
	if got := doc.Find(".drawing a.step.gated").AttrOr("href", ""); got != "#step-301" {
		t.Errorf("gated %q", got)
	}
	if rows := doc.Find("table.steps tbody tr").Length(); rows != 600 {
		t.Errorf("%d rows in the table, want all", rows)
	}
}

func TestUsersAreManaged(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b, other := w.user("administrator", "admin"), w.user("other", "reviewer")
	at := "/users/" + other.ref.ID
	page := b.want(b.get(at), http.StatusOK)
	b.want(b.submit(page, at+"/roles"), http.StatusUnprocessableEntity)
	b.want(b.submit(page, at+"/roles", "role", "human_user"), http.StatusSeeOther)
	b.want(b.submit(page, at+"/sessions"), http.StatusSeeOther)
	other.want(other.get("/confirms"), http.StatusSeeOther)
	if got := b.want(b.submit(page, at+"/reset"), http.StatusOK).doc(t).Find("#one-time-link").Text(); !strings.Contains(got, "/password?token=") {
		t.Errorf("link %q", got)
	}
	b.want(b.submit(page, at+"/disable"), http.StatusSeeOther)
	b.want(b.submit(page, at+"/disable"), http.StatusConflict)
	b.want(b.submit(b.get(at), at+"/enable"), http.StatusSeeOther)
	own := "/users/" + b.ref.ID
	if self := b.get(own); self.doc(t).Find("form[action$=roles]").Length() != 0 {
		t.Error("the own roles are offered for change")
	}
	b.want(b.submit(b.get(own), own+"/disable"), http.StatusConflict) // the last administrator
}

func TestListsOfUsersAndRolesCount(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b, other := w.user("administrator", "admin"), w.user("reader", w.role("user reader", "user.read", "role.read"))
	for _, in := range []domain.KeyInput{{Name: "one", Owner: b.ref.ID}, {Name: "two", Owner: b.ref.ID}, {Name: "none"}} {
		in.Roles = []string{"executor"}
		if _, _, err := w.svc.CreateKey(w.ctx, domain.System, in); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.svc.RevokeKey(w.ctx, domain.System, "two"); err != nil {
		t.Fatal(err)
	}
	w.pass(domain.SessionIdle - time.Minute)
	b.want(b.get("/confirms"), http.StatusOK)
	other.want(other.get("/confirms"), http.StatusOK)
	again := w.browser()
	again.want(again.submit(again.get("/login"), "/login", "username", "administrator", "password", password), http.StatusSeeOther)
	cell := func(b *browser, path, row, label string) string {
		doc := b.want(b.get(path), http.StatusOK).doc(t)
		td := doc.Find("tr:has(a[href='" + row + "']) td[data-label='" + label + "']")
		return strings.Join(strings.Fields(td.Text()), " ")
	}
	for _, tc := range []struct {
		name             string
		b                *browser
		path, row, label string
		want             string
	}{
		{"sessions and keys", b, "/users", "/users/" + b.ref.ID, "Status", "Active2 sessions, 1 key"},
		{"another's", b, "/users", "/users/" + other.ref.ID, "Status", "Active1 session, 0 keys"},
		{"no keys for who may not see keys", other, "/users", "/users/" + b.ref.ID, "Status", "Active2 sessions"},
		{"who holds a role", b, "/roles", "/roles/executor", "Held by", "0 users, 2 keys"},
		{"the administrator's", b, "/roles", "/roles/admin", "Held by", "1 user, 0 keys"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if got := cell(tc.b.in(t), tc.path, tc.row, tc.label); got != tc.want {
				t.Errorf("%q, want %q", got, tc.want)
			}
		})
	}
}

func TestKeysAreMadeAndRevoked(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b := w.user("administrator", "admin")
	page := b.want(b.get("/keys"), http.StatusOK)
	for _, tc := range []struct {
		name, field string
		form        []string
	}{
		{"no role", "role", []string{"name", "bot"}},
		{"may decide without an owner", "owner", []string{"name", "bot", "role", "executor", "may_decide", "1"}},
		{"days that are no number", "expires_days", []string{"name", "bot", "role", "executor", "expires_days", "soon"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			b := b.in(t)
			refused := b.want(b.submit(page, "/keys", tc.form...), http.StatusUnprocessableEntity).doc(t)
			if refused.Find("#"+tc.field+"-error").Length() != 1 || refused.Find("#name").AttrOr("value", "") != "bot" {
				t.Error("the form does not say what is wrong, or lost the name")
			}
		})
	}
	made := b.want(b.submit(page, "/keys", "name", "bot", "role", "executor", "expires_days", "30"), http.StatusOK)
	secret := strings.TrimSpace(made.doc(t).Find("#secret").Text())
	p, err := w.svc.Authenticate(w.ctx, secret)
	if err != nil {
		t.Fatal(err)
	}
	list := b.get("/keys")
	if strings.Contains(list.text, secret) {
		t.Error("the key is shown again")
	}
	revoke := "/keys/" + p.ID + "/revoke"
	b.want(b.submit(list, revoke), http.StatusSeeOther)
	b.want(b.submit(list, revoke), http.StatusConflict)
	if _, err := w.svc.Authenticate(w.ctx, secret); domain.ErrorCode(err) != domain.CodeUnauthenticated {
		t.Errorf("the revoked key: %v", err)
	}
}

func TestAccountIsOnesOwn(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b := w.user("reviewer", "reviewer")
	elsewhere := w.browser()
	elsewhere.want(elsewhere.submit(elsewhere.get("/login"), "/login", "username", "reviewer", "password", password), http.StatusSeeOther)
	page := b.want(b.get("/account"), http.StatusOK)
	end := page.doc(t).Find("form[action$=end]").AttrOr("action", "")
	b.want(b.submit(page, end), http.StatusSeeOther)
	elsewhere.want(elsewhere.get("/confirms"), http.StatusSeeOther)
	b.want(b.submit(page, end), http.StatusNotFound)

	fresh := "another harbour at dusk"
	wrong := b.want(b.submit(page, "/account/password", "current", "wrong", "password", fresh, "password_again", fresh), http.StatusUnprocessableEntity)
	if wrong.doc(t).Find("#current-error").Length() != 1 {
		t.Error("the form does not say that the password is wrong")
	}
	for range 4 {
		b.want(b.submit(page, "/account/password", "current", "wrong", "password", fresh, "password_again", fresh), http.StatusUnprocessableEntity)
	}
	held := b.want(b.submit(page, "/account/password", "current", password, "password", fresh, "password_again", fresh), http.StatusTooManyRequests)
	if held.Header.Get("Retry-After") != "1" || !strings.Contains(held.text, "Too many attempts. Try again in 1 s.") {
		t.Errorf("many attempts: Retry-After %q", held.Header.Get("Retry-After"))
	}
	w.pass(time.Second)
	b.want(b.submit(page, "/account/password", "current", password, "password", fresh, "password_again", "other"), http.StatusUnprocessableEntity)
	b.want(b.submit(page, "/account/password", "current", password, "password", fresh, "password_again", fresh), http.StatusSeeOther)
	b.want(b.submit(page, "/account/shortcuts"), http.StatusSeeOther)
	if got := b.get("/confirms").doc(t).Find("body").AttrOr("data-shortcuts", ""); got != "off" {
		t.Errorf("shortcuts %q", got)
	}
}

// A list that is narrowed says by what, and how to have all of it: an empty log
// must not pass for one in which nothing happened.
func TestLogSaysWhatNarrowsIt(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b := w.user("admin", "admin")
	for _, tc := range []struct{ name, query, family, kind, empty string }{
		{"everything", "", "Any family", "Any type", ""},
		{"a family", "?family=" + domain.FamilyGraphUpdate, domain.FamilyGraphUpdate, "Any type", ""},
		{"a type of another family", "?family=" + domain.FamilyRuntimeExecution + "&type=user.created", domain.FamilyRuntimeExecution, "user.created", "No entry matches this filter"},
		{"a family that there is none of", "?family=nothing", "nothing", "Any type", "No entry matches this filter"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			doc := b.in(t).get("/log" + tc.query).doc(t)
			chosen := func(name string) string { return doc.Find("select[name=" + name + "] option[selected]").Text() }
			if family, kind := chosen("family"), chosen("type"); family != tc.family || kind != tc.kind {
				t.Errorf("the filter says %q and %q, want %q and %q", family, kind, tc.family, tc.kind)
			}
			if got := doc.Find(".empty h2").Text(); got != tc.empty {
				t.Errorf("the list says %q, want %q", got, tc.empty)
			}
			if clear := doc.Find("a.clear").Length() == 1; clear != (tc.query != "") {
				t.Errorf("offers to clear the filter: %t", clear)
			}
		})
	}
}

func TestLogGoesBackPageByPage(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b, agent := w.user("reader", "executor"), w.asker()
	for range domain.DefaultPage {
		w.post(agent, bare)
	}
	doc := b.want(b.get("/log?type=confirm.requested"), http.StatusOK).doc(t)
	if got := doc.Find("tbody tr").Length(); got != domain.DefaultPage || doc.Find("a[rel=next]").Length() != 0 {
		t.Errorf("%d rows", got)
	}
	all := b.get("/log").doc(t)
	older := b.want(b.get(all.Find("a[rel=next]").AttrOr("href", "")), http.StatusOK).doc(t)
	if got := older.Find("tbody tr").Last().AttrOr("id", ""); got != "entry-0" {
		t.Errorf("the last entry is %q", got)
	}
	b.want(b.get("/log?cursor=x"), http.StatusUnprocessableEntity)
}

func TestContextShowsItsUse(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	agent := w.asker()
	id := w.newContext(agent)
	w.post(agent, `{"target_type":"context","target_id":"`+id+`","actions":[{"name":"context.update","args":{"status":"closed"}}]}`)
	b := w.user("architect", "architect", "reviewer")
	about := b.open(w.post(agent, `{"target_type":"context","target_id":"`+id+`"}`)).doc(t).Find("section[aria-labelledby=context]")
	if about.Find("a").AttrOr("href", "") != "/contexts/"+id || !strings.Contains(about.Find(".row-reason").Text(), "Where people sign in") {
		t.Errorf("the confirm's page says %q of the context", about.Text())
	}
	if about.Find(".notice").Length() != 0 {
		t.Errorf("the context has not changed, and the page says %q", about.Find(".notice").Text())
	}
	doc := b.want(b.get("/contexts/"+id), http.StatusOK).doc(t)
	if got := doc.Find("h1").Text(); got != "Login service" {
		t.Errorf("heading %q", got)
	}
	if got := doc.Find(".refs li").Length(); got != 2 {
		t.Errorf("%d confirms, want 2", got)
	}
	if got := b.want(b.get("/contexts"), http.StatusOK).doc(t).Find(".row-reason").Text(); got != "Where people sign in" {
		t.Errorf("summary %q", got)
	}
	stranger := w.user("stranger", w.role("looking", "trace.read"))
	closed := stranger.want(stranger.get("/contexts"), http.StatusOK).doc(t).Find("#contexts")
	if closed.Find(".row").Length() != 0 || !strings.Contains(closed.Text(), "neither context.read nor context.modify") {
		t.Errorf("who may read no context sees %q", closed.Text())
	}
}

// A confirm is about its target as it was when it was asked for, and the page
// shows what there is now.
func TestT03_TargetThatChangedIsMarked(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b, agent := w.user("reviewer", "reviewer"), w.asker()
	id := w.newContext(agent)
	context := w.post(agent, `{"target_type":"context","target_id":"`+id+`"}`)
	approved := w.post(agent, `{"target_type":"context","target_id":"`+id+`"}`)
	b.want(b.decide(approved, "decision", "approve"), http.StatusSeeOther)
	plan := w.post(agent, `{"target_type":"plan","target_id":"later"}`)
	in, err := mplp.ParseContext([]byte(`{"title":"Harmless","status":"active"}`), w.svc.Limits().Wire())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.svc.UpdateContext(w.ctx, agent, id, in); err != nil {
		t.Fatal(err)
	}
	w.plan(agent, "later")
	for _, tc := range []struct {
		name, section, says, warns string
		confirm                    *domain.Confirm
		approvable                 bool
	}{
		{"a context that was changed", "context", "The context has changed since this was asked", "there is none to give", context, false},
		{"a context that was changed as approved", "context", "The context has changed since this was asked", "", approved, false},
		{"a plan that came later", "where", "The plan has changed since this was asked", "would be for", plan, true}, // of nothing: it moves no plan
	} {
		t.Run(tc.name, func(t *testing.T) {
			doc := b.in(t).open(tc.confirm).doc(t)
			if got := doc.Find("section[aria-labelledby=" + tc.section + "] .notice").Text(); !strings.Contains(got, tc.says) || !strings.Contains(got, tc.warns) {
				t.Errorf("the page says %q", got)
			} else if tc.warns == "" && strings.Contains(got, "approval") {
				t.Errorf("of what was decided the page says %q", got)
			}
			if got := doc.Find("button[value=approve]").Length() > 0; got != tc.approvable {
				t.Errorf("approve is offered: %t", got)
			}
		})
	}
}

// What an agent wrote is shown to the last byte, however it is written.
func TestArgumentsAreShownWhole(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	args := `{"n":9007199254740993,"e":1e400,"s":"<b>&\u003c</b>","long":"` + strings.Repeat("x", 20_000) + `"}`
	c := w.post(w.asker(), `{"target_type":"other","actions":[{"name":"a","args":`+args+`}]}`)
	doc := w.user("reviewer", "reviewer").open(c).doc(t)
	compact, err := mplp.Compact([]byte(doc.Find("#args_0").Text()))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(args, string(compact)); diff != "" {
		t.Errorf("editor (-want +got):\n%s", diff)
	}
	if got := doc.Find("[data-action=\"0\"] .code").First().Text(); !strings.Contains(got, strings.Repeat("x", 20_000)) || !strings.Contains(got, "9007199254740993") {
		t.Error("the arguments shown are not whole")
	}
}

// The person who requested through a key of their own may look, and not decide.
func TestOwnRequestIsNotDecided(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b := w.user("reviewer", "reviewer")
	key, _, err := w.svc.CreateKey(w.ctx, domain.System, domain.KeyInput{Name: "own", Roles: []string{"executor"}, Owner: b.ref.ID})
	if err != nil {
		t.Fatal(err)
	}
	c := w.post(domain.Ref{Kind: domain.KindAgent, ID: key.ID}, trade)
	page := b.open(c)
	if got := page.doc(t).Find("section[aria-labelledby=who] .hint").First().Text(); !strings.Contains(got, "reviewer") {
		t.Errorf("owner of the key: %q", got)
	}
	if got := page.doc(t).Find(".refusals").Text(); !strings.Contains(got, "Nobody decides what they") {
		t.Errorf("refusals %q", got)
	}
	_, form := b.form(page, "/confirms/"+c.ID+"/cancel")
	answer := b.do(http.MethodPost, "/confirms/"+c.ID+"/decision", url.Values{"csrf": form["csrf"], "decision": {"approve"}, "content_hash": {c.ContentHash}})
	b.want(answer, http.StatusForbidden)
}

// What a confirm or its plan names may be another group's, and have come after it:
// who asked sees nothing of that, and who decides does.
func TestT01_ConfirmOpensNothingOfOthers(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	agent := w.asker()
	w.newContext(agent)
	b, reviewer := w.user("owner", w.role("idle", "confirm.request")), w.user("reviewer", "reviewer")
	key, _, err := w.svc.CreateKey(w.ctx, domain.System, domain.KeyInput{Name: "own", Roles: []string{"asker"}, Owner: b.ref.ID})
	if err != nil {
		t.Fatal(err)
	}
	other := domain.Ref{Kind: domain.KindAgent, ID: key.ID}
	in, err := mplp.ParsePlan([]byte(`{"plan_id":"own","context_id":"ctx-login-service","title":"T","objective":"O","steps":[{"step_id":"s1","description":"D"}]}`), w.svc.Limits().Wire())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.svc.PostPlan(w.ctx, other, in); err != nil {
		t.Fatal(err)
	}
	ask := func(plan string) string {
		return "/confirms/" + w.post(other, `{"target_type":"plan","target_id":"`+plan+`"}`).ID
	}
	own, later := ask("own"), ask("later")
	w.plan(agent, "later")
	for _, tc := range []struct{ name, path, secret string }{
		{"the context of a plan", own, "Where people sign in"},
		{"a plan that came later", later, "Write the fix"},
		{"its title in the inbox", "/confirms", "Fix the login"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if page := b.in(t).get(tc.path); page.StatusCode != http.StatusOK || strings.Contains(page.text, tc.secret) {
				t.Errorf("status %d; who asked reads %q", page.StatusCode, tc.secret)
			}
			if page := reviewer.in(t).get(tc.path); tc.path != "/confirms" && !strings.Contains(page.text, tc.secret) {
				t.Errorf("who decides does not read %q", tc.secret)
			}
		})
	}
}

func TestBrowserName(t *testing.T) {
	t.Parallel()
	const webkit = "AppleWebKit/537.36 (KHTML, like Gecko) "
	for _, tc := range []struct{ name, agent, want string }{
		{"Firefox", "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0", "Firefox on Linux"},
		{"Edge claims to be two others", "Mozilla/5.0 (Windows NT 10.0; Win64; x64) " + webkit + "Chrome/140.0.0.0 Safari/537.36 Edg/140.0.0.0", "Edge on Windows"},
		{"a telephone claims to be Linux", "Mozilla/5.0 (Linux; Android 16; Pixel) " + webkit + "Chrome/140.0.0.0 Mobile Safari/537.36", "Chrome on Android"},
		{"a telephone claims to be a Mac", "Mozilla/5.0 (iPhone; CPU iPhone OS 19_0 like Mac OS X) " + webkit + "Version/19.0 Mobile/15E148 Safari/604.1", "Safari on iPhone"},
		{"a program", "curl/8.14.1", "curl/8.14.1"},
		{"nothing", "", ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			if got := web.BrowserName(tc.agent); got != tc.want {
				t.Errorf("BrowserName = %q, want %q", got, tc.want)
			}
		})
	}
}
