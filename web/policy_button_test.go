package web_test

import (
	"net/http"
	"strings"
	"testing"

	"countersign/domain"
)

// The buttons of the form post it: rows come and go, a condition becomes text and lines
// again, and nothing is saved or lost.
func TestPolicy_ButtonsOfTheForm(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b := w.user("administrator", "admin")
	head := w.head()
	page := b.get("/policies/new")
	press := func(does string, pairs ...string) {
		t.Helper()
		page = b.want(b.sends(page, "/policies/try", append(pairs, "do", does)...), http.StatusOK)
	}
	has := func(want map[string]string) {
		t.Helper()
		fields := b.typed(page)
		for name, value := range want {
			if got := fields.Get(name); got != value || !fields.Has(name) {
				t.Errorf("%s has %q, want %q", name, got, value)
			}
		}
	}
	press("condition", "name", "<Wires>", "member_0", "args.a", "is_0", "over", "value_0", "1", "member_1", "args.b", "is_1", "one of", "value_1", "x, y")
	has(map[string]string{"name": "<Wires>", "value_0": "1", "member_2": ""})
	if page.doc(t).Find("[data-focus]").AttrOr("name", "") != "member_2" {
		t.Error("the new line has no focus")
	}
	press("quorum", "quorum_role_0", "admin")
	press("escalation", "after_0", "5")
	has(map[string]string{"quorum_role_0": "admin", "quorum_role_2": "", "quorum_approvals_2": "1", "after_0": "5", "escalate_role_1": "", "is_1": "one of"})
	for range 20 {
		press("quorum")
		press("escalation")
	}
	if fields := b.typed(page); fields.Has("quorum_role_8") || !fields.Has("quorum_role_7") || fields.Has("escalate_role_4") {
		t.Error("there are more rows than a policy may have, or fewer")
	}
	press("by-hand")
	has(map[string]string{"by_hand": "1", "condition": `args.a > 1 && args.b in ["x", "y"]`, "member_0": "", "value_0": ""})
	press("condition", "member_0", "reason", "is_0", "contains", "value_0", "now")
	has(map[string]string{"condition": `args.a > 1 && args.b in ["x", "y"] && reason.contains("now")`, "member_0": ""})
	press("rows")
	has(map[string]string{"member_2": "reason", "is_2": "contains", "value_2": "now", "name": "<Wires>"})
	press("by-hand")
	press("condition", "condition", "args.a || // <b>\n args.b", "member_0", "args.c", "is_0", "is", "value_0", "5")
	has(map[string]string{"condition": "(args.a || // <b>\n args.b\n) && args.c == 5"})
	if page.doc(t).Find(`button[value=rows]`).Length() != 0 {
		t.Error("what is not made of lines can be shown as lines")
	}
	refused := b.want(b.sends(page, "/policies/try", "do", "condition", "condition", "args.", "member_0", "args.c", "is_0", "is", "value_0", "5"), http.StatusUnprocessableEntity)
	if fields := b.typed(refused); fields.Get("condition") != "args." || fields.Get("value_0") != "5" || refused.doc(t).Find("#condition-error").Length() != 1 {
		t.Errorf("a line added to a broken condition: %v", fields)
	}
	if w.head() != head {
		t.Error("a button saved something")
	}
	// A line that was not added yet counts as well.
	made := b.want(b.sends(page, "/policies", "after_0", "", "condition", "args.a > 1", "member_0", "args.c", "is_0", "is", "value_0", "5"), http.StatusSeeOther)
	own := b.want(b.get(made.Header.Get("Location")), http.StatusOK)
	page = own
	has(map[string]string{"member_0": "args.a", "member_1": "args.c", "value_1": "5"})
}

// Disabling and enabling are versions too. The page lists the latest, or all.
func TestPolicy_Versions(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b := w.user("administrator", "admin")
	path := "/policies/" + w.newPolicy(nightWatch)
	for i := range 11 {
		for _, act := range []string{"disable", "enable"} {
			done := b.want(b.submit(b.get(path), path+"/"+act), http.StatusSeeOther)
			if i == 0 {
				page := b.want(b.get(done.Header.Get("Location")), http.StatusOK)
				if words := page.doc(t).Find(".notice").First().Text(); !strings.Contains(words, "Policy "+act+"d.") {
					t.Errorf("after %s the page says %q", act, words)
				}
			}
		}
	}
	doc := b.get(path).doc(t)
	if n := doc.Find("[id^=version-]").Length(); n != 20 {
		t.Errorf("%d versions are listed", n)
	}
	if words := doc.Find("#version-23 .diff").Text(); !strings.Contains(words, "Status: disabled") || !strings.Contains(words, "Status: enabled") {
		t.Errorf("version 23 changed %q", words)
	}
	all := doc.Find(`.refs a`).AttrOr("href", "")
	if n := b.want(b.get(all), http.StatusOK).doc(t).Find("[id^=version-]").Length(); n != 23 {
		t.Errorf("of all versions %d are listed", n)
	}
	b.want(b.submit(b.get(path), path+"/disable"), http.StatusSeeOther)
	stale := b.want(b.do(http.MethodPost, path+"/disable", b.typed(b.get(path))), http.StatusConflict)
	if words := stale.doc(t).Find(".notice").First().Text(); !strings.Contains(words, "disabled already") {
		t.Errorf("a second time it says %q", words)
	}
	b.want(b.get(path+"-1"), http.StatusNotFound)
}

// What was to be tried when the session ended is shown in the form of its policy, and so is
// what became of a change that must be approved first.
func TestPolicy_AfterTheSessionAndARequest(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b := w.user("kim", "admin")
	id := w.newPolicy(nightWatch)
	fields := b.typed(b.get("/policies/" + id))
	fields.Set("note", "Wake <Kim>.")
	w.pass(domain.SessionIdleTimeout)
	b.page = "/policies/" + id
	door := b.want(b.do(http.MethodPost, "/policies/try?id="+id, fields), http.StatusUnauthorized)
	again := b.want(b.submit(door, "/login", "username", "kim", "password", password), http.StatusOK)
	if got := b.typed(again); got.Get("note") != "Wake <Kim>." || got.Get("version") != "1" || again.doc(t).Find(".policy-form").AttrOr("action", "") != "/policies/"+id {
		t.Errorf("the form has %v", got)
	}
	asked := w.post(w.asker(), patient)
	if words := b.get("/confirms/" + asked.ID + "?done=policy-requested").doc(t).Find(".notice").First().Text(); !strings.Contains(words, "when this request is approved") {
		t.Errorf("the page of the request says %q", words)
	}
}
