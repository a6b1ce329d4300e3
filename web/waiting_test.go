package web_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"countersign/domain"
)

// The title counts what waits for the reader's own decision: nothing that requires a
// role of others, and nothing of their own keys.
func TestTitleCountsWhatWaitsForTheReader(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	approver := w.role("approver", "confirm.approve")
	reviewer, special, owner := w.user("reviewer", "reviewer"), w.user("special", "reviewer", approver), w.user("owner", "reviewer")
	auditor, stranger := w.user("auditor", w.role("reading", "trace.read")), w.user("stranger", "planner")
	k, _, err := w.svc.CreateKey(w.ctx, domain.System, domain.KeyInput{Name: "bot", Roles: []string{w.role("asker", "confirm.request")}, Owner: "owner"})
	if err != nil {
		t.Fatal(err)
	}
	agent, owned := w.agent("agent", "asker"), domain.Ref{Kind: domain.KindAgent, ID: k.ID}
	counts := func(when string, want map[*browser]string) {
		t.Helper()
		for b, mark := range want {
			for _, path := range []string{"/account", "/confirms", "/confirms?status=decided"} {
				if got := b.want(b.get(path), http.StatusOK).doc(t).Find("title").Text(); !strings.HasPrefix(got, mark+"Inbox · C") && got != mark+"Your account · Countersign" {
					t.Errorf("%s: the title of %s for %s is %q, want %q before it", when, path, b.ref.ID, got, mark)
				}
			}
			count := b.want(b.get("/waiting"), http.StatusOK).doc(t).Find("#pending-count")
			if got := count.AttrOr("data-mark", "?"); got != mark {
				t.Errorf("%s: /waiting says %q, want %q", when, got, mark)
			}
			if url := count.AttrOr("data-url", "?"); mark == "" && url+count.AttrOr("data-newest", "?") != "" {
				t.Errorf("%s: nothing waits, and %s is named", when, url)
			}
		}
	}
	counts("at first", map[*browser]string{reviewer: "", special: "", owner: "", auditor: "", stranger: ""})
	first := w.post(agent, trade)
	w.post(owned, trade)
	w.post(agent, `{"target_type":"other","required_role":"approver","timeout":60,"actions":[{"name":"rm","args":{}}]}`)
	counts("three", map[*browser]string{reviewer: "(2) ", special: "(3) ", owner: "(1) ", auditor: "", stranger: ""})

	count := owner.get("/waiting").doc(t).Find("#pending-count")
	if url, says := count.AttrOr("data-url", ""), count.AttrOr("data-words", ""); url != "/confirms/"+first.ID || says != "1 request waits for you" {
		t.Errorf("the owner is told %q and led to %s", says, url)
	}
	if newest := strings.Fields(special.get("/waiting").doc(t).Find("#pending-count").AttrOr("data-newest", "")); len(newest) != 2 || newest[0] <= newest[1] {
		t.Errorf("the newest are %q", newest)
	}
	w.pass(61 * time.Second) // one is due, whether its end is written or not
	counts("due", map[*browser]string{special: "(2) "})
	if _, err := w.svc.CancelConfirm(w.ctx, agent, first.ID, ""); err != nil {
		t.Fatal(err)
	}
	counts("withdrawn", map[*browser]string{reviewer: "(1) ", owner: ""})
}

// Above the cap the title and the words say so, as the navigation does.
func TestTitleCountIsCapped(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	agent, b := w.asker(), w.user("reviewer", "reviewer")
	for i := range domain.MaxPage + 1 {
		w.post(agent, fmt.Sprintf(`{"target_type":"other","reason":"%d","actions":[{"name":"rm","args":{}}]}`, i))
	}
	page := b.get("/account").doc(t)
	if title, says := page.Find("title").Text(), page.Find("#pending-count").AttrOr("data-words", ""); title != "(200+) Your account · Countersign" || says != "200+ requests wait for you" {
		t.Errorf("the title is %q, and the words %q", title, says)
	}
}

// What an open page asks by itself keeps nobody signed in, whatever headers it sends.
func TestOpenTabsAreNoUseOfTheSession(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b := w.user("reviewer", "reviewer")
	for left := domain.SessionIdleTimeout; left > -10*time.Minute; left -= 10 * time.Minute {
		if left > 0 {
			b.want(b.get("/waiting"), http.StatusOK)
			b.live("").close()
		}
		w.pass(10 * time.Minute)
	}
	b.htmx = true
	refused := b.want(b.do(http.MethodGet, "/waiting", nil), http.StatusUnauthorized)
	if to := refused.Header.Get("HX-Redirect"); to != "/login" {
		t.Errorf("without a page it leads to %q", to)
	}
	b.htmx = false
	if title := b.get("/login").doc(t).Find("title").Text(); title != "Sign in · Countersign" {
		t.Errorf("signed out, the title is %q", title)
	}
}

// A look that finds the session over leads back to the page that looked.
func TestWaitingLeadsBackToThePage(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b := w.browser()
	b.htmx, b.page = true, "/evidence"
	if to := b.want(b.get("/waiting"), http.StatusUnauthorized).Header.Get("HX-Redirect"); to != "/login?next=%2Fevidence" {
		t.Errorf("it leads to %q", to)
	}
}
