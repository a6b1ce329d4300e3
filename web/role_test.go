package web_test

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"

	"countersign/domain"
)

func TestRolesAreEdited(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b := w.user("administrator", "admin")
	page := b.want(b.get("/roles/new"), http.StatusOK)
	wrong := b.want(b.submit(page, "/roles", "name", "payer", "capabilities", "plan.create\r\n\r\nConfirm.reject"), http.StatusUnprocessableEntity)
	if got := wrong.doc(t).Find("#capabilities-error").Text(); !strings.Contains(got, "Line 3") || !strings.Contains(got, "position 1") {
		t.Errorf("message %q", got)
	}
	made := b.want(b.submit(page, "/roles", "name", "payer", "description", "Pays", "capabilities", "plan.create"), http.StatusSeeOther)
	at, _, _ := strings.Cut(made.Header.Get("Location"), "?")
	b.want(b.submit(page, "/roles", "name", "Payer", "capabilities", ""), http.StatusConflict)
	role := b.want(b.get(at), http.StatusOK)
	b.want(b.submit(role, at, "name", "payer", "description", "Pays", "capabilities", "plan.create\nplan.execute"), http.StatusSeeOther)
	if got := b.get(at).doc(t).Find("#capabilities").Text(); got != "plan.create\nplan.execute" {
		t.Errorf("capabilities %q", got)
	}
	b.want(b.submit(role, at+"/delete"), http.StatusSeeOther)
	b.want(b.get(at), http.StatusNotFound)
	if got := b.get("/roles/admin").doc(t).Find("form[action$=delete]").Length(); got != 0 {
		t.Error("the role admin is offered for deletion")
	}
}

// However many roles there are, a page of them stays small, and a part of the
// name finds one.
func TestRolesGoOnPageByPage(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b := w.user("admin", "admin")
	seeded := len(domain.SeededRoles())
	if got := b.want(b.get("/roles"), http.StatusOK).doc(t).Find("[role=search]").Length(); got != 0 {
		t.Error("a list of one page has a search")
	}
	for i := range domain.DefaultPage {
		w.role(fmt.Sprintf("team %02d", i), "plan.create")
	}
	rows := func(page *goquery.Document) int { return page.Find(".list tbody tr").Length() }
	first := b.want(b.get("/roles"), http.StatusOK).doc(t)
	second := b.want(b.get(first.Find("a[rel=next]").AttrOr("href", "")), http.StatusOK).doc(t)
	if one, two := rows(first), rows(second); one != domain.DefaultPage || two != seeded {
		t.Errorf("pages of %d and %d rows, want %d and %d", one, two, domain.DefaultPage, seeded)
	}
	if got := second.Find("#roles").AttrOr("hx-get", ""); !strings.HasPrefix(got, "/roles?cursor=") {
		t.Errorf("the second page refreshes itself from %q", got)
	}
	found := b.want(b.get("/roles?q=AM+07"), http.StatusOK).doc(t)
	if got := strings.TrimSpace(found.Find(".list tbody a").Text()); got != "team 07" || found.Find("#roles input[name=q]").AttrOr("value", "") != "AM 07" {
		t.Errorf("the search finds %q", got)
	}
	if got := b.want(b.get("/roles?q=nobody"), http.StatusOK).doc(t).Find(".empty h2").Text(); got != "No role matches this name" {
		t.Errorf("an empty search says %q", got)
	}
	b.want(b.get("/roles?cursor=garbage"), http.StatusUnprocessableEntity)
}

// A locked role refuses everything but to be unlocked.
func TestRoleIsLockedAndUnlocked(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b := w.user("administrator", "admin")
	at := "/roles/tester"
	same := []string{"name", "tester", "description", "Test execution", "capabilities", "plan.execute\ntrace.read"}
	send := func(status int, change ...string) *goquery.Document {
		t.Helper()
		return b.want(b.submit(b.get(at), at, append(slices.Clone(same), change...)...), status).doc(t)
	}
	send(http.StatusSeeOther, "locked", "1")
	page := b.get(at)
	doc := page.doc(t)
	if !strings.Contains(doc.Find(".kicker .badge").Text(), "Locked") || doc.Find("input[name=locked]").AttrOr("checked", "no") == "no" {
		t.Error("the page does not say that the role is locked")
	}
	if doc.Find("#name").AttrOr("readonly", "no") == "no" || doc.Find("form[action$=delete]").Length() != 0 {
		t.Error("changes are offered")
	}
	if got := b.get("/roles").doc(t).Find("tr:has(a[href='" + at + "']) .badge").Text(); !strings.Contains(got, "Locked") {
		t.Errorf("the list says %q", got)
	}
	send(http.StatusLocked, "locked", "1")
	if got := send(http.StatusLocked, "capabilities", "*").Find("#capabilities").Text(); got != "*" {
		t.Errorf("what was sent is lost: %q", got)
	}
	// A form that says nothing of it does not unlock by the way.
	_, form := b.form(page, at)
	b.want(b.do(http.MethodPost, at, url.Values{"csrf": form["csrf"], "name": {"tester"}, "description": {"Test execution"},
		"capabilities": {"plan.execute\ntrace.read"}}), http.StatusLocked)
	send(http.StatusSeeOther)
	send(http.StatusSeeOther, "description", "Tests")
	if role, _, err := w.svc.Role(w.ctx, domain.System, "tester"); err != nil || role.Locked || !strings.Contains(string(role.Native), `"governance":{"locked":false}`) {
		t.Errorf("%v: %s", err, role.Native)
	}
}

// A role that nothing could make is refused for that first, whoever sends it.
func TestNewRole_FaultsComeBeforeCapabilities(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b := w.user("kim", w.role("looks on", "role.read"))
	for capabilities, want := range map[string]int{"Plan.Create": http.StatusUnprocessableEntity, "plan.create": http.StatusForbidden} {
		_, form := b.form(b.get("/account"), "/logout")
		form.Set("name", "night watch")
		form.Set("capabilities", capabilities)
		b.want(b.do(http.MethodPost, "/roles", form), want)
	}
}
