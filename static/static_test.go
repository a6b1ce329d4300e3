package static

import (
	"bytes"
	"compress/gzip"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
)

func testAssets(t *testing.T) *Assets {
	t.Helper()
	assets, err := load(fstest.MapFS{
		"app.css":          {Data: []byte(strings.Repeat("body { color: red }\n", 50))},
		"icon.svg":         {Data: []byte("<svg/>")},
		"lib/htmx.min.js":  {Data: []byte("htmx")},
		"lib/.keep":        {Data: nil},
		"lib/htmx.map":     {Data: []byte("{}")},
		"package-lock.txt": {Data: []byte("x")},
	})
	if err != nil {
		t.Fatal(err)
	}
	return assets
}

func get(t *testing.T, assets *Assets, method, path string, header http.Header) *http.Response {
	t.Helper()
	request := httptest.NewRequest(method, path, nil)
	request.Header = header
	recorder := httptest.NewRecorder()
	assets.ServeHTTP(recorder, request)
	return recorder.Result()
}

func TestURL(t *testing.T) {
	t.Parallel()
	assets := testAssets(t)
	if got := assets.URL("app.css"); !regexp.MustCompile(`^/static/app\.[0-9a-f]{12}\.css$`).MatchString(got) {
		t.Errorf("app.css at %q", got)
	}
	if got := assets.URL("lib/htmx.min.js"); !regexp.MustCompile(`^/static/lib/htmx\.min\.[0-9a-f]{12}\.js$`).MatchString(got) {
		t.Errorf("htmx at %q", got)
	}
	for _, name := range []string{"lib/.keep", "lib/htmx.map", "package-lock.txt", "nothing.js"} {
		if got := assets.URL(name); got != "" {
			t.Errorf("%s is served at %q", name, got)
		}
	}
}

func TestMissing(t *testing.T) {
	t.Parallel()
	if diff := cmp.Diff([]string{"lib/hx-sse.min.js"}, testAssets(t).Missing()); diff != "" {
		t.Errorf("Missing (-want, +got):\n%s", diff)
	}
}

func TestServe(t *testing.T) {
	t.Parallel()
	assets := testAssets(t)
	css := assets.URL("app.css")
	etag := get(t, assets, "GET", css, nil).Header.Get("ETag")
	tests := []struct {
		name, method, path string
		header             http.Header
		status             int
		kind, encoding     string
	}{
		{"plain", "GET", css, nil, 200, "text/css; charset=utf-8", ""},
		{"compressed", "GET", css, http.Header{"Accept-Encoding": {"br, gzip;q=0.8"}}, 200, "text/css; charset=utf-8", "gzip"},
		{"gzip refused", "GET", css, http.Header{"Accept-Encoding": {"gzip;q=0"}}, 200, "text/css; charset=utf-8", ""},
		{"too small to compress", "GET", assets.URL("icon.svg"), http.Header{"Accept-Encoding": {"gzip"}}, 200, "image/svg+xml", ""},
		{"head", "HEAD", css, nil, 200, "text/css; charset=utf-8", ""},
		{"still fresh", "GET", css, http.Header{"If-None-Match": {`"other", W/` + etag}}, 304, "text/css; charset=utf-8", ""},
		{"without hash", "GET", "/static/app.css", nil, 404, "text/plain; charset=utf-8", ""},
		{"another hash", "GET", "/static/app.000000000000.css", nil, 404, "text/plain; charset=utf-8", ""},
		{"directory", "GET", "/static/lib/", nil, 404, "text/plain; charset=utf-8", ""},
		{"post", "POST", css, nil, 405, "text/plain; charset=utf-8", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			response := get(t, assets, tt.method, tt.path, tt.header)
			if response.StatusCode != tt.status {
				t.Errorf("status %d, want %d", response.StatusCode, tt.status)
			}
			if got := response.Header.Get("Content-Type"); got != tt.kind {
				t.Errorf("type %q, want %q", got, tt.kind)
			}
			if got := response.Header.Get("Content-Encoding"); got != tt.encoding {
				t.Errorf("encoding %q, want %q", got, tt.encoding)
			}
			if got := response.Header.Get("X-Content-Type-Options"); got != "nosniff" {
				t.Errorf("X-Content-Type-Options %q", got)
			}
			if immutable := strings.Contains(response.Header.Get("Cache-Control"), "immutable"); immutable != (tt.status < 400) {
				t.Errorf("Cache-Control %q", response.Header.Get("Cache-Control"))
			}
		})
	}
}

func TestCompressedIsTheSame(t *testing.T) {
	t.Parallel()
	assets := testAssets(t)
	plain, err := io.ReadAll(get(t, assets, "GET", assets.URL("app.css"), nil).Body)
	if err != nil {
		t.Fatal(err)
	}
	reader, err := gzip.NewReader(get(t, assets, "GET", assets.URL("app.css"), http.Header{"Accept-Encoding": {"gzip"}}).Body)
	if err != nil {
		t.Fatal(err)
	}
	unpacked, err := io.ReadAll(reader)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(plain, unpacked) {
		t.Error("gzip changes the content")
	}
}

// The embedded files load, with or without the third-party ones.
func TestLoad(t *testing.T) {
	t.Parallel()
	assets, err := Load()
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"app.css", "app.js", "icon.svg"} {
		if assets.URL(name) == "" {
			t.Errorf("%s is not served", name)
		}
	}
}
