package web_test

import (
	"net/http"
	"testing"
)

func TestSignInLeadsToInbox(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b := w.user("reviewer", "reviewer")
	page := b.want(b.get("/confirms"), http.StatusOK)
	if got := page.doc(t).Find("h1").Text(); got != "Inbox" {
		t.Errorf("heading %q", got)
	}
}
