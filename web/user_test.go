package web_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"countersign/domain"
)

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
	w.pass(domain.SessionIdleTimeout - time.Minute)
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
