package web_test

import (
	"net/http"
	"strings"
	"testing"
)

func TestContextShowsItsUse(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	agent := w.asker()
	id := w.newContext(agent)
	w.post(agent, `{"target_type":"context","target_id":"`+id+`","actions":[{"name":"context.update","args":{"status":"closed"}}]}`)
	b := w.user("architect", "architect", "reviewer")
	about := b.open(w.post(agent, `{"target_type":"context","target_id":"`+id+`"}`)).doc(t).Find("section[aria-labelledby=context-title]")
	if about.Find("a").AttrOr("href", "") != "/contexts/"+id || !strings.Contains(about.Find(".member").Text(), "Where people sign in") {
		t.Errorf("the confirm's page says %q of the context", about.Text())
	}
	if about.Find(".notice").Length() != 0 {
		t.Errorf("the context has not changed, and the page says %q", about.Find(".notice").Text())
	}
	doc := b.want(b.get("/contexts/"+id), http.StatusOK).doc(t)
	if got := doc.Find("h1").Text(); got != "Login service" {
		t.Errorf("heading %q", got)
	}
	if got := doc.Find(".refs li").Length(); got != 2 {
		t.Errorf("%d confirms, want 2", got)
	}
	if got := b.want(b.get("/contexts"), http.StatusOK).doc(t).Find(".row-reason").Text(); got != "Where people sign in" {
		t.Errorf("summary %q", got)
	}
	stranger := w.user("stranger", w.role("looking", "trace.read"))
	closed := stranger.want(stranger.get("/contexts"), http.StatusOK).doc(t).Find("#contexts")
	if closed.Find(".row").Length() != 0 || !strings.Contains(closed.Text(), "the capability context.read or context.modify") {
		t.Errorf("who may read no context sees %q", closed.Text())
	}
}
