package web_test

import (
	"compress/gzip"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"
)

// A page is compressed when it is worth it and nothing on it came with the
// request: the length of such a page would tell what else stands on it.
func TestPagesAreCompressedUnlessTheyReflect(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b := w.user("reviewer", "reviewer")
	for _, tt := range []struct {
		name, method, path, accept string
		form                       url.Values
		want                       string
	}{
		{"page", http.MethodGet, "/confirms", "gzip, br", nil, "gzip"},
		{"page of another list", http.MethodGet, "/plans", "gzip", nil, "gzip"},
		{"search", http.MethodGet, "/confirms?q=secret", "gzip", nil, ""},
		{"way back to a search", http.MethodGet, "/account?from=secret", "gzip", nil, ""},
		{"not asked for", http.MethodGet, "/confirms", "identity", nil, ""},
		{"refused", http.MethodGet, "/confirms", "gzip;q=0", nil, ""},
		{"nothing there", http.MethodGet, "/confirms/secret", "gzip", nil, ""},
		{"form", http.MethodPost, "/account/password", "gzip", url.Values{"old": {"secret"}}, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r, err := http.NewRequestWithContext(t.Context(), tt.method, b.url+tt.path, strings.NewReader(tt.form.Encode()))
			if err != nil {
				t.Fatal(err)
			}
			r.Header.Set("Accept-Encoding", tt.accept)
			r.Header.Set("Origin", b.url)
			r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
			answer := b.in(t).send(r)
			if got := answer.Header.Get("Content-Encoding"); got != tt.want {
				t.Fatalf("Content-Encoding %q, want %q", got, tt.want)
			}
			text := answer.text
			if tt.want == "gzip" {
				plain, err := gzip.NewReader(strings.NewReader(text))
				if err != nil {
					t.Fatal(err)
				}
				whole, err := io.ReadAll(plain)
				if err != nil {
					t.Fatal(err)
				}
				text = string(whole)
			}
			if !strings.HasSuffix(strings.TrimSpace(text), "</html>") {
				t.Errorf("no whole page: %q", text)
			}
		})
	}
}

func TestFormTokenDiffersOnEveryPage(t *testing.T) {
	t.Parallel()
	b := newWorld(t).user("reviewer", "reviewer")
	_, first := b.form(b.get("/confirms"), "/logout")
	_, second := b.form(b.get("/confirms"), "/logout")
	if first.Get("csrf") == "" || first.Get("csrf") == second.Get("csrf") {
		t.Errorf("tokens %q and %q, want two", first.Get("csrf"), second.Get("csrf"))
	}
}
