package web_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"
)

// What is wrong is said at its field, and everything typed is still there.
func TestPolicy_RefusalsKeepWhatWasTyped(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b := w.payers()
	finance := w.roleID("finance")
	page := b.get("/policies/new")
	for _, tc := range []struct {
		name   string
		fields []string
		says   map[string]string // field to a part of its message
	}{
		{"no name", []string{"quorum_role_0", finance}, map[string]string{"name": "Is required."}},
		{"no role", []string{"name", "a"}, map[string]string{"quorum": "name at least one role"}},
		{"rows", []string{"name", "a", "member_0", "", "value_0", "", "member_1", "amount", "is_1", "over", "value_1", "lots"},
			map[string]string{"member_1": "args.amount"}},
		{"a value", []string{"name", "a", "member_1", "args.n", "is_1", "over", "value_1", "<lots>"}, map[string]string{"value_1": "Must be a number"}},
		{"CEL", []string{"name", "a", "quorum_role_0", finance, "by_hand", "1", "condition", "args.a ||\n\"<b>\" >", "member_0", ""}, map[string]string{"condition": "Line 2, column 8: "}},
		{"tools", []string{"name", "a", "quorum_role_0", finance, "tools", `a, "b, c", a`}, map[string]string{"tools": "Item 3: Is there already."}},
		{"no such key", []string{"name", "a", "quorum_role_0", finance, "keys", "nobody's"}, map[string]string{"keys": "There is no key nobody's."}},
		{"no such role", []string{"name", "a", "quorum_role_1", "ghosts"}, map[string]string{"quorum_role_1": "There is no role ghosts."}},
		{"a number", []string{"name", "a", "quorum_role_1", finance, "quorum_approvals_1", "two"}, map[string]string{"quorum_approvals_1": "whole number"}},
		{"too many", []string{"name", "a", "quorum_role_1", finance, "quorum_approvals_1", "9"}, map[string]string{"quorum_approvals_1": "from 1 to 8"}},
		{"a deadline", []string{"name", "a", "quorum_role_1", finance, "timeout", "31", "timeout_unit", "86400"}, map[string]string{"timeout": "at most 30 days"}},
		{"a stand-in", []string{"name", "a", "quorum_role_1", finance, "timeout", "1", "timeout_unit", "3600", "after_0", "60", "after_0_unit", "60", "escalate_role_0", "admin", "escalate_for_0", finance},
			map[string]string{"after_0": "less than the timeout"}},
		{"a lonely stand-in", []string{"name", "a", "quorum_role_1", finance, "after_0", "60", "escalate_role_0", "admin", "escalate_for_0", "planner"}, map[string]string{"escalate_for_0": "a role of the quorum"}},
		{"a taken name", []string{"name", "deletions", "quorum_role_1", finance}, map[string]string{"": "There already is a policy named deletions."}},
	} {
		for _, to := range []string{"/policies", "/policies/try"} {
			if tc.name == "a taken name" && to != "/policies" {
				continue
			}
			t.Run(tc.name+" "+to, func(t *testing.T) {
				b, head := b.in(t), w.head()
				answer := b.sends(page, to, tc.fields...)
				if answer.StatusCode != http.StatusUnprocessableEntity && answer.StatusCode != http.StatusConflict {
					t.Fatalf("status %d", answer.StatusCode)
				}
				doc := answer.doc(t)
				for field, says := range tc.says {
					place := "#" + field + "-error"
					if field == "" {
						place = ".notice.tone-bad"
					}
					if got := doc.Find(place).Text(); !strings.Contains(got, says) {
						t.Errorf("%s says %q, want %q", field, got, says)
					}
				}
				again := b.typed(answer)
				for i := 0; i < len(tc.fields); i += 2 {
					if got := again.Get(tc.fields[i]); got != tc.fields[i+1] {
						t.Errorf("%s has %q, want %q", tc.fields[i], got, tc.fields[i+1])
					}
				}
				if w.head() != head {
					t.Error("the log grew")
				}
			})
		}
	}
}

// Whoever saves what somebody else has saved in between is told, sees what changed, and
// has every word still there. Saving again replaces it.
func TestPolicy_TwoEditAtOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	id := w.newPolicy(nightWatch)
	b, other := w.user("administrator", "admin"), w.user("other", "admin")
	mine := b.get("/policies/" + id)
	other.want(other.sends(other.get("/policies/"+id), "/policies/"+id, "tools", "page_*, call_*"), http.StatusSeeOther)
	refused := b.want(b.sends(mine, "/policies/"+id, "note", "Wake Kim."), http.StatusConflict)
	doc := refused.doc(t)
	if words := doc.Find(".notice").Text(); !strings.Contains(words, "saved version 2 of this policy after you opened version 1") {
		t.Errorf("the page says %q", words)
	}
	if words := doc.Find("#version-2").Text(); !strings.Contains(words, "by other") || !strings.Contains(words, "Tools: page_*, call_*") {
		t.Errorf("version 2 is shown as %q", words)
	}
	if got := b.typed(refused); got.Get("note") != "Wake Kim." || got.Get("tools") != "page_*" {
		t.Errorf("the form has %v", got)
	}
	b.want(b.sends(refused, "/policies/"+id), http.StatusSeeOther)
	if d := w.policy(id); d.Version != 3 || d.Doc.Note != "Wake Kim." || len(d.Doc.Match.Tools) != 1 {
		t.Errorf("version %d is %s", d.Version, d.Document)
	}
}

func TestPolicy_WhoMayNot(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	id := w.newPolicy(nightWatch)
	admin, reader := w.user("administrator", "admin"), w.user("reader", w.role("reader", "policy.read"))
	page := reader.want(reader.get("/policies/"+id), http.StatusOK)
	doc := page.doc(t)
	if forms := doc.Find(`#policy form, #policy button`); forms.Length() != 0 {
		t.Errorf("a reader has %d forms and buttons", forms.Length())
	}
	if says := doc.Find(".facts").Text(); !strings.Contains(says, "page_*") || !strings.Contains(says, "1 of reviewer") {
		t.Errorf("a reader sees %q", says)
	}
	if list := reader.want(reader.get("/policies"), http.StatusOK); strings.Contains(list.text, "/policies/new") {
		t.Error("a reader is led to the form")
	}
	head := w.head()
	typed := admin.typed(admin.get("/policies/" + id))
	_, own := reader.form(reader.get("/account"), "/account/password")
	for _, to := range []string{"/policies", "/policies/try", "/policies/try?id=" + id, "/policies/" + id, "/policies/" + id + "/disable"} {
		reader.want(reader.do(http.MethodPost, to, url.Values{"csrf": own["csrf"], "name": {"Mine"}}), http.StatusForbidden)
		forged := url.Values{"csrf": own["csrf"], "name": {"Mine"}, "quorum_role_0": {"reviewer"}, "version": {"1"}}
		admin.want(admin.do(http.MethodPost, to, forged), http.StatusForbidden)
		r, err := http.NewRequestWithContext(w.ctx, http.MethodPost, w.url+to, strings.NewReader(typed.Encode()))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		r.Header.Set("Origin", "https://elsewhere.example")
		admin.want(admin.send(r), http.StatusForbidden)
	}
	reader.want(reader.get("/policies/new"), http.StatusForbidden)
	if w.head() != head {
		t.Error("the log grew")
	}
}

// Without role.read there are no lists of roles: their names are typed.
func TestPolicy_RolesByName(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b := w.user("author", w.role("author", "policy.modify"))
	page := b.want(b.get("/policies/new"), http.StatusOK)
	if n := page.doc(t).Find("select[name=quorum_role_0]").Length(); n != 0 {
		t.Error("all roles are listed")
	}
	made := b.want(b.sends(page, "/policies", "name", "Any", "quorum_role_0", "Reviewer"), http.StatusSeeOther)
	own := b.want(b.get(made.Header.Get("Location")), http.StatusOK)
	if got := b.typed(own).Get("quorum_role_0"); got != "reviewer" {
		t.Errorf("the role is %q", got)
	}
}

// A trial that matches nothing says so, and one without time says how far it came.
func TestPolicy_TrialsOfNothingAndWithoutTime(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b := w.user("administrator", "admin")
	page := b.get("/policies/new")
	built := []string{"name", "Wires", "tools", "wire_*", "quorum_role_0", "reviewer"}
	counts := func() string {
		t.Helper()
		return b.want(b.sends(page, "/policies/try", built...), http.StatusOK).doc(t).Find(".points").Text()
	}
	if got := counts(); !strings.Contains(got, "no request yet") {
		t.Errorf("without requests: %q", got)
	}
	agent := w.asker()
	for i := range 5 {
		w.post(agent, strings.Replace(wire(fmt.Sprintf(`{"n":%d}`, i)), "wire_transfer", "read", 1))
	}
	if got := counts(); !strings.Contains(got, "matches 0 of the last 5 requests.") {
		t.Errorf("with other requests: %q", got)
	}
	w.mu.Lock()
	w.tick = 700 * time.Millisecond
	w.mu.Unlock()
	if got := counts(); !strings.Contains(got, "no time to look at more") || strings.Contains(got, "last 5") {
		t.Errorf("without time: %q", got)
	}
}
