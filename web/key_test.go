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
