package web_test

import (
	"net/http"
	"strings"
	"testing"
)

func TestConnect(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b := w.user("keeper", "admin")
	if href := b.get("/confirms").doc(t).Find(".empty a.button").AttrOr("href", ""); href != "/connect" {
		t.Errorf("an empty inbox leads to %q", href)
	}
	page := b.want(b.get("/connect"), http.StatusOK).doc(t)
	if got := page.Find("[data-target]").Length(); got != 12 {
		t.Errorf("%d things that an agent may run in", got)
	}
	if env := page.Find("#environment").Text(); !strings.HasPrefix(env, "export COUNTERSIGN_URL=http") || strings.Contains(env, "COUNTERSIGN_KEY") {
		t.Errorf("environment %q", env)
	}

	// The snippets are on the page of a new key too, with the key.
	made := b.want(b.submit(b.get("/keys"), "/keys", "name", "bot", "role", "executor", "expires_days", "30"), http.StatusOK).doc(t)
	secret := strings.TrimSpace(made.Find("#secret").Text())
	if env := made.Find("#environment").Text(); !strings.HasSuffix(env, "\nexport COUNTERSIGN_KEY="+secret) {
		t.Errorf("environment of a new key %q", env)
	}
	look := made.Find("#connected").AttrOr("hx-get", "")
	if got := b.get(look).doc(t).Find("#connected"); got.Find("[data-connected]").Length() != 0 || !strings.Contains(got.Text(), "Waiting for the first request") {
		t.Errorf("before a request: %q", got.Text())
	}
	if _, err := w.svc.Authenticate(w.ctx, secret); err != nil {
		t.Fatal(err)
	}
	if got := b.get(look).doc(t).Find("#connected [data-connected]"); !strings.Contains(got.Text(), "is connected") {
		t.Errorf("after a request: %q", got.Text())
	}
	if b.get("/connect?key="+secret[:8]).doc(t).Find("#connected").Length() != 0 {
		t.Error("there is a line for a key that is not there")
	}
}

// Who may not create keys has no page, and the inbox does not lead there.
func TestConnectIsForWhoMayCreateKeys(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b := w.user("reviewer", "reviewer")
	b.want(b.get("/connect"), http.StatusForbidden)
	if b.get("/confirms").doc(t).Find(".empty a[href='/connect']").Length() != 0 {
		t.Error("an empty inbox leads to a page that is refused")
	}
}
