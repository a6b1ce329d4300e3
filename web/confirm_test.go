package web_test

import (
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"countersign/domain"
	"countersign/domain/mplp"
)

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
	in, err := mplp.ParseContext([]byte(`{"title":"Harmless","status":"active"}`), w.svc.Limits().MPLP())
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
		{"a context that was changed", "context-title", "The context has changed since this request", "You cannot approve", context, false},
		{"a context that was changed as approved", "context-title", "The context has changed since this request", "", approved, false},
		{"a plan that came later", "where", "The plan has changed since this request", "would apply to the old version", plan, true}, // of nothing: it moves no plan
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
	if got := doc.Find("[data-action=\"0\"]").First().Text(); !strings.Contains(got, strings.Repeat("x", 20_000)) || !strings.Contains(got, "9007199254740993") {
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
	if got := page.doc(t).Find(".asker").Text(); !strings.Contains(got, "reviewer") {
		t.Errorf("owner of the key: %q", got)
	}
	if got := page.doc(t).Find(".refusals").Text(); !strings.Contains(got, "You cannot decide your own or your keys' requests") {
		t.Errorf("refusals %q", got)
	}
	_, form := b.form(page, "/confirms/"+c.ID+"/cancel")
	answer := b.do(http.MethodPost, "/confirms/"+c.ID+"/decision", url.Values{"csrf": form["csrf"], "decision": {"approve"}, "content_hash": {c.ContentHash}})
	b.want(answer, http.StatusForbidden)
}

// Who made a key may look at what it requested, and not decide, whoever owns it.
func TestB5_WhoMadeTheKeyDoesNotDecide(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.user("owner", "reviewer")
	b := w.user("administrator", "admin")
	for _, owner := range []string{"", "owner"} {
		name := "bot-" + owner + "."
		made := b.want(b.submit(b.get("/keys"), "/keys", "name", name, "role", "executor", "owner", owner), http.StatusOK)
		p, err := w.svc.Authenticate(w.ctx, strings.TrimSpace(made.doc(t).Find("#secret").Text()))
		if err != nil {
			t.Fatal(err)
		}
		c := w.post(p.Ref, trade)
		page := b.open(c)
		if got := page.doc(t).Find(".refusals").Text(); !strings.Contains(got, "a key that you created") {
			t.Errorf("%s: refusals %q", name, got)
		}
		_, form := b.form(page, "/confirms/"+c.ID+"/cancel")
		answer := b.do(http.MethodPost, "/confirms/"+c.ID+"/decision", url.Values{"csrf": form["csrf"], "decision": {"approve"}, "content_hash": {c.ContentHash}})
		b.want(answer, http.StatusForbidden)
		if list := b.get("/confirms?mine=1"); strings.Contains(list.text, c.ID) {
			t.Errorf("%s: what it requested is among the maker's to decide", name)
		}
	}
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
	in, err := mplp.ParsePlan([]byte(`{"plan_id":"own","context_id":"ctx-login-service","title":"T","objective":"O","steps":[{"step_id":"s1","description":"D"}]}`), w.svc.Limits().MPLP())
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
