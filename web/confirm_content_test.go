package web_test

import (
	"net/http"
	"testing"
	"time"
)

// What was sent can be taken away to the byte, by those who may see the request.
func TestConfirmContent_IsWhatWasSent(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b, agent := w.user("reviewer", "reviewer"), w.asker()
	const first, second = `{"z":1.50,"a":"pay\u202epal","y":1e400}`, `{"to":"\u0430ll"}`
	c := w.post(agent, `{"target_type":"other","actions":[{"name":"pay","args":`+first+`},{"name":"send_mail","args":`+second+`}]}`)
	path := "/confirms/" + c.ID + "/content"
	for query, want := range map[string]string{"?action=1": first, "?action=2": second} {
		if got := b.want(b.get(path+query), http.StatusOK).text; got != want {
			t.Errorf("%s is %q, want %q", query, got, want)
		}
	}
	stored, err := w.svc.Confirm(w.ctx, b.ref, c.ID)
	if err != nil {
		t.Fatal(err)
	}
	if got := b.want(b.get(path), http.StatusOK).text; got != string(stored.Stored.Content) {
		t.Errorf("the content is %q", got)
	}
	for _, query := range []string{"?action=0", "?action=3", "?action=x", "?action=-1"} {
		b.want(b.get(path+query), http.StatusNotFound)
	}
	stranger := w.user("stranger", "planner")
	stranger.want(stranger.get(path), http.StatusNotFound)

	b.want(b.decide(c, "decision", "reject"), http.StatusSeeOther)
	w.pass(2 * time.Minute)
	if _, err := w.svc.Prune(w.ctx, time.Minute); err != nil {
		t.Fatal(err)
	}
	b.want(b.get(path), http.StatusNotFound)
}
