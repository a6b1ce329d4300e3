package web_test

import (
	"net/http"
	"testing"
	"time"
)

// Whoever has the inbox already is told so, until anything it depends on has
// changed.
func TestInboxUnchanged(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b, other := w.user("reviewer", "reviewer"), w.user("another", "reviewer")
	agent := w.asker()
	ask := func(b *browser, path, tag string) *answer {
		t.Helper()
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, b.url+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("If-None-Match", tag)
		return b.send(r)
	}
	post := func() {
		w.post(agent, `{"target_type":"other","reason":"look","timeout":60,"actions":[{"name":"run","args":{}}]}`)
	}
	post()
	tag := b.want(b.get("/confirms"), http.StatusOK).Header.Get("ETag")
	if same := b.want(ask(b, "/confirms", tag), http.StatusNotModified); same.text != "" || same.Header.Get("ETag") != tag || same.Header.Get("Cache-Control") != "no-store" {
		t.Errorf("unchanged: %q %v", same.text, same.Header)
	}
	for _, tt := range []struct {
		name   string
		change func() *answer
	}{
		{"another address", func() *answer { return ask(b, "/confirms?status=decided", tag) }},
		{"another reader", func() *answer { return ask(other, "/confirms", tag) }},
		{"a part of the page", func() *answer {
			b.htmx = true
			defer func() { b.htmx = false }()
			return b.get("/confirms")
		}},
		{"a refused cursor", func() *answer { return ask(b, "/confirms?cursor=x", tag) }},
		{"another setting", func() *answer {
			b.want(b.submit(b.get("/account"), "/account/shortcuts"), http.StatusSeeOther)
			return ask(b, "/confirms", tag)
		}},
		{"another confirm", func() *answer {
			tag = b.get("/confirms").Header.Get("ETag")
			post()
			return ask(b, "/confirms", tag)
		}},
		{"an end in time", func() *answer {
			tag = b.get("/confirms").Header.Get("ETag")
			w.pass(2 * time.Minute)
			return ask(b, "/confirms", tag)
		}},
	} {
		if got := tt.change(); got.StatusCode == http.StatusNotModified || got.Header.Get("ETag") == tag {
			t.Errorf("%s: status %d, tag %q", tt.name, got.StatusCode, got.Header.Get("ETag"))
		}
	}
	if refused := b.get("/confirms?cursor=x"); refused.StatusCode != http.StatusUnprocessableEntity || refused.Header.Get("ETag") != "" {
		t.Errorf("a refusal has status %d, tag %q", refused.StatusCode, refused.Header.Get("ETag"))
	}
}
