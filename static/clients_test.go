package static

import (
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
)

func TestClients(t *testing.T) {
	t.Parallel()
	ask := func(path, etag string) *http.Response {
		request := httptest.NewRequest(http.MethodGet, path, nil)
		request.Header.Set("If-None-Match", etag)
		recorder := httptest.NewRecorder()
		Clients().ServeHTTP(recorder, request)
		return recorder.Result()
	}
	for path, kind := range map[string]string{
		"/clients/countersign.mjs":  "text/javascript; charset=utf-8",
		"/clients/countersign.d.ts": "application/typescript; charset=utf-8",
		"/clients/package.json":     "application/json",
		"/clients/countersign.py":   "text/x-python; charset=utf-8",
	} {
		answer := ask(path, "")
		body, err := io.ReadAll(answer.Body)
		want, wantErr := clientFiles.ReadFile(path[1:])
		if err != nil || wantErr != nil || answer.StatusCode != http.StatusOK || string(body) != string(want) {
			t.Errorf("%s: status %d, %d bytes, want %d (%v, %v)", path, answer.StatusCode, len(body), len(want), err, wantErr)
		}
		if got := answer.Header.Get("Content-Type"); got != kind || answer.Header.Get("Cache-Control") != "no-cache" {
			t.Errorf("%s: type %q, want %q; %q", path, got, kind, answer.Header.Get("Cache-Control"))
		}
		if again := ask(path, answer.Header.Get("ETag")); again.StatusCode != http.StatusNotModified {
			t.Errorf("%s unchanged: status %d", path, again.StatusCode)
		}
	}
	for _, path := range []string{"/clients/", "/clients/nothing.py", "/clients/../app.js", "/static/app.js"} {
		if answer := ask(path, ""); answer.StatusCode != http.StatusNotFound {
			t.Errorf("%s: status %d", path, answer.StatusCode)
		}
	}
}
