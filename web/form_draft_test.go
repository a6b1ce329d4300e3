package web_test

import (
	"errors"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"

	"countersign/domain"
)

// patient is a trade that waits for longer than a session lasts.
var patient = `{"timeout":86400,` + trade[1:]

// What was typed when the session ended is shown in its form again to who typed
// it, once they have signed in, and nothing comes of it by that.
func TestWordsSurviveTheSession(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b := w.user("kim", "admin", "reviewer")
	agent := w.asker()
	c, plan := w.post(agent, patient), w.plan(agent, "plan-1")
	policy := w.newPolicy(nightWatch)
	other, long := w.user("other", "tester").ref.ID, strings.Repeat("words, and more. ", 50_000)+"end"
	markup := strings.Repeat("<&>", 110_000)
	for _, tc := range []struct {
		name, page, action string
		fields             []string
		shown              map[string]string // selector to the value or text that it has
	}{
		{"a reason to reject", "/confirms/" + c.ID, "/confirms/" + c.ID + "/decision",
			[]string{"decision", "reject", "reason", "not on <Friday>\nat all", "user_edit_content", "try Monday"},
			map[string]string{"#reason": "not on <Friday>\nat all", "#user_edit_content": "try Monday", ".conflict strong": "Nothing was decided"}},
		{"an approval", "/confirms/" + c.ID, "/confirms/" + c.ID + "/decision", []string{"decision", "approve"},
			map[string]string{".conflict strong": "Nothing was decided"}},
		{"an edit", "/confirms/" + c.ID, "/confirms/" + c.ID + "/decision", []string{"decision", "edit", "args_0", `{"quantity": 7}`},
			map[string]string{"#args_0": `{"quantity": 7}`, ".editor[open] summary": "Edit these arguments"}},
		{"as much as a form takes", "/confirms/" + c.ID, "/confirms/" + c.ID + "/decision", []string{"decision", "reject", "user_edit_content", long},
			map[string]string{"#user_edit_content": long}},
		{"as much of what JSON escapes", "/confirms/" + c.ID, "/confirms/" + c.ID + "/decision", []string{"decision", "reject", "user_edit_content", markup},
			map[string]string{"#user_edit_content": markup}},
		{"a cancellation", "/confirms/" + c.ID, "/confirms/" + c.ID + "/cancel", []string{"reason", "asked twice"},
			map[string]string{"#cancel-reason": "asked twice"}},
		{"a plan's cancellation", "/plans/" + plan, "/plans/" + plan + "/cancel", []string{"reason", "out of date"},
			map[string]string{"#cancel-reason": "out of date"}},
		{"a new role", "/roles/new", "/roles", []string{"name", "night watch", "description", "at 2 a.m.", "capabilities", "confirm.reject\nplan.*"},
			map[string]string{"#name": "night watch", "#description": "at 2 a.m.", "#capabilities": "confirm.reject\nplan.*"}},
		{"a changed role", "/roles/tester", "/roles/tester", []string{"name", "tester", "description", "tests", "capabilities", "plan.read", "locked", "1"},
			map[string]string{"#name": "tester", "#description": "tests", "#capabilities": "plan.read", "input[name=locked][checked]": "1"}},
		{"an invitation", "/users", "/users", []string{"username", "night-owl", "role", "reviewer"},
			map[string]string{"#username": "night-owl", "input[name=role][checked]": "reviewer"}},
		{"a user's roles", "/users/" + other, "/users/" + other + "/roles", []string{"role", "coder"},
			map[string]string{"input[name=role][checked]": "coder"}},
		{"a new policy", "/policies/new", "/policies", []string{"name", "Night watch", "member_0", "args.amount", "is_0", "over", "value_0", "lots", "quorum_role_0", "reviewer"},
			map[string]string{"#name": "Night watch", "#member_0": "args.amount", "#is_0 [selected]": "over", "#value_0": "lots", "#quorum_role_0 [selected]": "reviewer"}},
		{"a changed policy", "/policies/" + policy, "/policies/" + policy, []string{"name", "By day", "by_hand", "1", "condition", "args.a ||\n<b>"},
			map[string]string{"#name": "By day", "#condition": "args.a ||\n<b>", "input[name=version]": "1"}},
		{"a new key", "/keys", "/keys", []string{"name", "bot", "role", "executor", "expires_days", "7"},
			map[string]string{"#name": "bot", "input[name=role][checked]": "executor", "#expires_days": "7"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			b := b.in(t)
			target, form := b.form(b.want(b.get(tc.page), http.StatusOK), tc.action)
			for i := 0; i < len(tc.fields); i += 2 {
				form.Set(tc.fields[i], tc.fields[i+1])
			}
			before := w.head()
			w.pass(domain.SessionIdleTimeout)
			b.page = tc.page
			door := b.want(b.do(http.MethodPost, target, form), http.StatusUnauthorized)
			for _, typed := range form {
				if len(typed[0]) > 8 && strings.Contains(door.text, typed[0]) {
					t.Errorf("the sign-in page shows %q to whoever sits there", typed[0])
				}
			}
			wrong := b.want(b.submit(door, "/login", "username", "kim", "password", "not it"), http.StatusUnauthorized)
			again := b.want(b.submit(wrong, "/login", "username", "kim", "password", password), http.StatusOK)
			doc := again.doc(t)
			for selector, want := range tc.shown {
				if got := shownIn(doc.Find(selector)); got != want {
					t.Errorf("%s holds %q, want %q", selector, got, want)
				}
			}
			if got := doc.Find("body").AttrOr("data-address", ""); got != tc.page {
				t.Errorf("the page says its address is %q, want %q", got, tc.page)
			}
			if got := w.head(); got != before {
				t.Errorf("%d entries in the log, want the %d from before", got, before)
			}
			if _, form := b.form(again, tc.action); form.Get("csrf") == "" {
				t.Error("the form cannot be sent again")
			}
		})
	}
}

// shownIn is what a control holds, or an element says.
func shownIn(s *goquery.Selection) string {
	if value, ok := s.Attr("value"); ok {
		return value
	}
	return strings.TrimSpace(s.First().Text())
}

// Who signs in again when all is over is told so, and has the words to copy.
func TestWordsComeTooLate(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b, other := w.user("kim", "reviewer"), w.user("robin", "reviewer")
	c := w.post(w.asker(), patient)
	action := "/confirms/" + c.ID + "/decision"
	target, form := b.form(b.get("/confirms/"+c.ID), action)
	form.Set("decision", "reject")
	form.Set("reason", "not on a Friday")
	w.pass(domain.SessionIdleTimeout)
	door := b.want(b.do(http.MethodPost, target, form), http.StatusUnauthorized)
	other.want(other.submit(other.get("/login"), "/login", "username", "robin", "password", password), http.StatusSeeOther)
	other.want(other.submit(other.get("/confirms/"+c.ID), action, "decision", "approve"), http.StatusSeeOther)
	doc := b.want(b.submit(door, "/login", "username", "kim", "password", password), http.StatusOK).doc(t)
	if got := doc.Find(".conflict strong").Text(); got != "Nothing was saved" {
		t.Errorf("the page says %q", got)
	}
	if got := doc.Find("#unsent p").Text(); got != "not on a Friday" {
		t.Errorf("the words are %q", got)
	}
	if got := w.outcome(c.ID).Confirm.Status; got != domain.Approved {
		t.Errorf("the confirm is %s", got)
	}
}

// Arguments that were changed come back in sight, also where no button was pressed:
// that is how a page takes along what is typed when it hears that its session is
// over.
func TestChangedArgumentsComeBackInSight(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b := w.user("kim", "reviewer")
	c := w.post(w.asker(), patient)
	action := "/confirms/" + c.ID + "/decision"
	shown := b.get("/confirms/" + c.ID).doc(t).Find("#args_0").Text()
	for _, tc := range []struct {
		name, args string
		open       bool
	}{{"changed", strings.Replace(shown, "100", "50", 1), true}, {"as they were shown", shown, false}} {
		t.Run(tc.name, func(t *testing.T) {
			b := b.in(t)
			target, form := b.form(b.get("/confirms/"+c.ID), action)
			form.Set("args_0", tc.args)
			w.pass(domain.SessionIdleTimeout)
			door := b.want(b.do(http.MethodPost, target, form), http.StatusUnauthorized)
			doc := b.want(b.submit(door, "/login", "username", "kim", "password", password), http.StatusOK).doc(t)
			if _, open := doc.Find("details.editor").Attr("open"); open != tc.open || doc.Find("#args_0").Text() != tc.args {
				t.Errorf("open: %t, with %s", open, doc.Find("#args_0").Text())
			}
		})
	}
}

// A cancellation of what is over meanwhile, and a form that its sender has no
// more, say that they did not count.
func TestWordsWithoutAForm(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b, agent := w.user("kim", "admin"), w.asker()
	c, plan := w.post(agent, patient), w.plan(agent, "plan-1")
	reader := w.role("looks on", "user.read", "key.read")
	w.user("robin", "admin")
	over := func() error {
		_, err := w.svc.CancelConfirm(w.ctx, agent, c.ID, "")
		if err == nil {
			_, err = w.svc.CancelPlan(w.ctx, agent, plan, "")
		}
		return errors.Join(err, w.svc.AssignRoles(w.ctx, domain.System, b.ref.ID, []string{reader, "reviewer"}))
	}
	type sent struct {
		action string
		form   url.Values
	}
	var all []sent
	for _, f := range [][2]string{
		{"/confirms/" + c.ID, "/confirms/" + c.ID + "/cancel"}, {"/plans/" + plan, "/plans/" + plan + "/cancel"}, {"/users", "/users"}, {"/keys", "/keys"},
	} {
		target, form := b.form(b.get(f[0]), f[1])
		form.Set("reason", "asked twice")
		all = append(all, sent{target, form})
	}
	w.pass(domain.SessionIdleTimeout)
	if err := over(); err != nil {
		t.Fatal(err)
	}
	for _, f := range all {
		t.Run(f.action, func(t *testing.T) {
			b := b.in(t)
			w.pass(domain.SessionIdleTimeout)
			door := b.want(b.do(http.MethodPost, f.action, f.form), http.StatusUnauthorized)
			page := b.want(b.submit(door, "/login", "username", "kim", "password", password), http.StatusOK)
			if got := page.doc(t).Find(".notice").Text(); !strings.Contains(got, "Nothing was saved") {
				t.Errorf("the page says %q", got)
			}
		})
	}
}

// Who may only read a role by now reads the role, and not what they would have
// made of it.
func TestWordsAreNoRole(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b := w.user("kim", "admin")
	w.user("robin", "admin")
	target, form := b.form(b.get("/roles/tester"), "/roles/tester")
	form.Set("name", "boss")
	form.Set("capabilities", "confirm.approve")
	w.pass(domain.SessionIdleTimeout)
	door := b.want(b.do(http.MethodPost, target, form), http.StatusUnauthorized)
	if err := w.svc.AssignRoles(w.ctx, domain.System, b.ref.ID, []string{w.role("looks on", "role.read")}); err != nil {
		t.Fatal(err)
	}
	doc := b.want(b.submit(door, "/login", "username", "kim", "password", password), http.StatusOK).doc(t)
	if got := doc.Find("h1").Text() + doc.Find("#capabilities").Text(); strings.Contains(got, "boss") || strings.Contains(got, "confirm.approve") {
		t.Errorf("the role is shown as %q", got)
	}
	if got := doc.Find(".notice").Text(); !strings.Contains(got, "Check it and send again") {
		t.Errorf("the page says %q", got)
	}
}

// Who may not send it any more is told so, and is signed in.
func TestWordsOfWhatIsRefusedNow(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b := w.user("kim", "admin")
	target, form := b.form(b.get("/roles/new"), "/roles")
	form.Set("name", "night watch")
	w.pass(domain.SessionIdleTimeout)
	door := b.want(b.do(http.MethodPost, target, form), http.StatusUnauthorized)
	w.user("robin", "admin")
	if err := w.svc.AssignRoles(w.ctx, domain.System, b.ref.ID, []string{"reviewer"}); err != nil {
		t.Fatal(err)
	}
	refused := b.want(b.submit(door, "/login", "username", "kim", "password", password), http.StatusForbidden)
	if !strings.Contains(refused.text, "role.modify") || refused.doc(t).Find("nav").Length() == 0 {
		t.Errorf("the reader is told %s", refused.text)
	}
	b.want(b.get("/confirms"), http.StatusOK)
}

// The words of one person are not for another who signs in on that screen.
func TestWordsAreForWhoTypedThem(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b := w.user("kim", "reviewer")
	w.user("robin", "reviewer")
	c := w.post(w.asker(), patient)
	action := "/confirms/" + c.ID + "/decision"
	target, form := b.form(b.get("/confirms/"+c.ID), action)
	form.Set("reason", "between us")
	w.pass(domain.SessionIdleTimeout)
	door := b.want(b.do(http.MethodPost, target, form), http.StatusUnauthorized)
	answer := b.want(b.submit(door, "/login", "username", "robin", "password", password), http.StatusSeeOther)
	if strings.Contains(answer.text, "between us") {
		t.Error("another person reads the words")
	}
}

// Whoever has signed in anew elsewhere sends a form of the session before: it
// does not count, and nothing of it is lost.
func TestFormOfAnEarlierSession(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b := w.user("kim", "reviewer")
	robin := w.user("robin", "reviewer")
	c := w.post(w.asker(), patient)
	action := "/confirms/" + c.ID + "/decision"
	target, form := b.form(b.get("/confirms/"+c.ID), action)
	form.Set("decision", "approve")
	form.Set("reason", "as agreed")
	w.pass(domain.SessionIdleTimeout)
	b.want(b.submit(b.get("/login"), "/login", "username", "kim", "password", password), http.StatusSeeOther)
	again := b.want(b.do(http.MethodPost, target, form), http.StatusForbidden)
	if got := again.doc(t).Find("#reason").Text(); got != "as agreed" {
		t.Errorf("the reason is %q", got)
	}
	if got := w.outcome(c.ID).Confirm.Status; got != domain.Pending {
		t.Fatalf("the confirm is %s", got)
	}
	robin.want(robin.submit(robin.get("/login"), "/login", "username", "robin", "password", password), http.StatusSeeOther)
	refused := robin.want(robin.do(http.MethodPost, target, form), http.StatusForbidden)
	if strings.Contains(refused.text, "as agreed") {
		t.Error("another person reads the words")
	}
	b.want(b.submit(again, action, "decision", "approve"), http.StatusSeeOther)
	if got := w.outcome(c.ID).Confirm.Status; got != domain.Approved {
		t.Errorf("the confirm is %s", got)
	}
}

// What no form of ours sent leads to the sign-in page, and so does a form with
// nothing typed; a password is never kept.
func TestNothingElseIsKept(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b := w.user("kim", "admin", "reviewer")
	account := b.get("/account")
	c := w.post(w.asker(), patient)
	_, form := b.form(b.get("/confirms/"+c.ID), "/confirms/"+c.ID+"/decision")
	_, own := b.form(account, "/account/password")
	own.Set("current", password)
	w.pass(domain.SessionIdleTimeout)
	htmx := w.browser()
	htmx.htmx = true
	for _, tc := range []struct {
		name, path string
		form       url.Values
	}{
		{"nobody's", "/confirms/" + c.ID + "/decision", url.Values{"reason": {"x"}}},
		{"an unknown user's", "/confirms/" + c.ID + "/decision", url.Values{"csrf": {"x.00000000-0000-4000-8000-000000000000"}, "reason": {"x"}}},
		{"a password", "/account/password", own},
		{"a button", "/users/x/disable", url.Values{"csrf": form["csrf"]}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			b := b.in(t)
			b.want(b.do(http.MethodPost, tc.path, tc.form), http.StatusSeeOther)
		})
	}
	htmx.want(htmx.do(http.MethodPost, "/confirms/"+c.ID+"/decision", form), http.StatusUnauthorized)

	garbage := b.want(b.submit(b.get("/login"), "/login", "username", "kim", "password", password, "kept", "garbage"), http.StatusSeeOther)
	if got := garbage.Header.Get("Location"); got != "/" {
		t.Errorf("location %q", got)
	}
}
