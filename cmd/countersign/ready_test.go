package main

import (
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestReady: the server says what it checks, and, to a monitor that has asked,
// that it stops before it does.
func TestReady(t *testing.T) {
	t.Parallel()
	r := start(t)
	status, text := get(t, r.base+"/readyz", "")
	want := "assets: ok\ndatabase: ok\nwriting: ok\nsigning key: ok\nserving: ok\n"
	if status != http.StatusOK || text != want {
		t.Errorf("status %d %s", status, cmp.Diff(want, text))
	}
	r.cancel()
	for stopping := false; !stopping; {
		status, text = get(t, r.base+"/readyz", "")
		stopping = status == http.StatusServiceUnavailable && strings.HasSuffix(text, "serving: stopping\n")
		if !stopping && status != http.StatusOK {
			t.Fatalf("status %d: %s", status, text)
		}
	}
	r.stop(t)
}
