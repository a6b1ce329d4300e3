package web_test

import (
	"bytes"
	"encoding/json"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/google/go-cmp/cmp"

	"countersign/domain"
	"countersign/web"
)

// TestRequests_AreLoggedAndObserved: observers hear of routes, never of what
// stands in an address; the log says who acted.
func TestRequests_AreLoggedAndObserved(t *testing.T) {
	t.Parallel()
	var logged bytes.Buffer
	var seen []web.Request
	w := newWorld(t, func(c *web.Config) {
		c.Logger = slog.New(slog.NewJSONHandler(&logged, nil))
		c.Observed = func(r web.Request) { r.Took = 0; seen = append(seen, r) }
	})
	key, secret, err := w.svc.CreateKey(w.ctx, domain.System, domain.KeyInput{Name: "bot", Roles: []string{"executor"}})
	if err != nil {
		t.Fatal(err)
	}
	var want []web.Request
	for _, tc := range []struct {
		method, path, bearer string
		want                 web.Request
		principal            string
	}{
		{http.MethodGet, "/api/v1/confirms/secret-id?q=secret", secret, web.Request{Method: "GET", Route: "/api/v1/confirms/:id", Status: 404}, "key:" + key.ID},
		{http.MethodGet, "/api/v1/confirms", "", web.Request{Method: "GET", Route: "/api/v1/confirms", Status: 401}, ""},
		{http.MethodGet, "/healthz", "", web.Request{Method: "GET", Route: "/healthz", Status: 200}, ""},
		{http.MethodGet, "/nothing/here", "", web.Request{Status: 404}, ""},
		{"PROPFIND", "/confirms/secret-id", "", web.Request{Status: 405}, ""},
		{"MADE-UP", "/healthz", "", web.Request{Status: 405}, ""},
	} {
		logged.Reset()
		r := httptest.NewRequestWithContext(t.Context(), tc.method, tc.path, nil)
		r.Host = "127.0.0.1"
		r.Header.Set("Sec-Fetch-Site", "same-origin")
		if tc.bearer != "" {
			r.Header.Set("Authorization", "Bearer "+tc.bearer)
		}
		w.web.ServeHTTP(httptest.NewRecorder(), r)
		want = append(want, tc.want)
		var line struct {
			Msg, Method, Route, Principal string
			Status                        int
		}
		if err := json.Unmarshal(logged.Bytes(), &line); err != nil {
			t.Fatalf("%s %s: %v: %s", tc.method, tc.path, err, &logged)
		}
		if line.Msg != "request" || line.Method != tc.method || line.Route != tc.want.Route || line.Status != tc.want.Status || line.Principal != tc.principal {
			t.Errorf("%s %s: logged %s", tc.method, tc.path, &logged)
		}
	}
	if diff := cmp.Diff(want, seen); diff != "" {
		t.Errorf("observed (-want +got):\n%s", diff)
	}
}
