package web_test

import (
	"net/http"
	"strings"
	"testing"

	"countersign/domain"
)

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

// A key of another user's asks in their place: the form offers it to nobody but who
// may do everything.
func TestB5_OwnersOfKeys(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	other := w.user("other", "reviewer")
	for _, tt := range []struct {
		name, role, offered string
		status              int
	}{
		{"clerk", w.role("clerk", "key.modify", "user.read", "confirm.*"), "none clerk", http.StatusForbidden},
		{"administrator", "admin", "none administrator clerk other", http.StatusOK},
	} {
		b := w.user(tt.name, tt.role)
		page := b.want(b.get("/keys"), http.StatusOK)
		var offered []string
		for _, option := range page.doc(t).Find("#owner option").EachIter() {
			offered = append(offered, option.Text())
		}
		if got := strings.Join(offered, " "); got != tt.offered {
			t.Errorf("%s is offered %q, want %q", tt.name, got, tt.offered)
		}
		made := b.submit(page, "/keys", "name", "bot of "+tt.name, "role", w.role("asker of "+tt.name, "confirm.request"), "owner", other.ref.ID)
		b.want(made, tt.status)
		if tt.status == http.StatusForbidden && !strings.Contains(made.text, "Create it for yourself or without an owner") {
			t.Errorf("%s is told %s", tt.name, made.text)
		}
	}
}
