package web_test

import (
	"net/http"
	"strings"
	"testing"
	"time"
)

// TestSignInIsHeldBack: after too many attempts the page says how long to wait,
// in the same words for a name that nobody has.
func TestSignInIsHeldBack(t *testing.T) {
	t.Parallel()
	var said []string
	for _, name := range []string{"reviewer", "nobody"} {
		w := newWorld(t)
		w.user("reviewer", "reviewer")
		b := w.browser()
		page := b.get("/login")
		for range 5 {
			b.want(b.submit(page, "/login", "username", name, "password", "wrong"), http.StatusUnauthorized)
		}
		held := b.want(b.submit(page, "/login", "username", name, "password", password), http.StatusTooManyRequests)
		if got := held.Header.Get("Retry-After"); got != "1" {
			t.Errorf("%s: Retry-After %q", name, got)
		}
		if held.doc(t).Find("form[action='/login'] input[name=password]").AttrOr("value", "") != "" {
			t.Error("the page gives the password back")
		}
		said = append(said, strings.TrimSpace(held.doc(t).Find(".notice").Text()))
		if name == "reviewer" {
			w.pass(time.Second)
			b.want(b.submit(held, "/login", "username", name, "password", password), http.StatusSeeOther)
		}
	}
	if said[0] != said[1] || !strings.Contains(said[0], "Try again in 1 s.") {
		t.Errorf("messages %q", said)
	}
}
