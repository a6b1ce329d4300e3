// Package static holds what browsers load beside the pages: the style sheet,
// the script, the icon and the third-party scripts that make assets installs
// into lib. Everything is served from memory under addresses that carry the
// hash of the content, so that browsers may keep it for good and still get a
// new version at once. The clients for other languages have addresses of their own.
package static

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"io/fs"
	"net/http"
	"path"
	"slices"
	"strings"
)

//go:embed app.css app.js icon.svg all:lib
var files embed.FS

// Prefix is where the assets are mounted.
const Prefix = "/static/"

// thirdParty are the files that make assets provides.
var thirdParty = []string{"lib/htmx.min.js", "lib/hx-sse.min.js"}

// types are the content types by extension: the set is closed, and does not
// depend on what the machine knows.
var types = map[string]string{
	".css": "text/css; charset=utf-8",
	".js":  "text/javascript; charset=utf-8",
	".svg": "image/svg+xml",
}

// Assets serves the files; it is safe for concurrent use.
type Assets struct {
	urls   map[string]string // by name
	byPath map[string]asset  // by the address below Prefix
}

type asset struct {
	kind    string
	etag    string
	content []byte
	gzipped []byte // nil if it would not be smaller
}

// Load reads, hashes and compresses every embedded file, once.
func Load() (*Assets, error) {
	return load(files)
}

func load(fsys fs.FS) (*Assets, error) {
	assets := &Assets{urls: map[string]string{}, byPath: map[string]asset{}}
	err := fs.WalkDir(fsys, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || types[path.Ext(name)] == "" {
			return err
		}
		content, err := fs.ReadFile(fsys, name)
		if err != nil {
			return err
		}
		return assets.add(name, content)
	})
	if err != nil {
		return nil, fmt.Errorf("load assets: %w", err)
	}
	return assets, nil
}

func (a *Assets) add(name string, content []byte) error {
	sum := sha256.Sum256(content)
	hash := hex.EncodeToString(sum[:])[:12]
	ext := path.Ext(name)
	hashed := strings.TrimSuffix(name, ext) + "." + hash + ext
	gzipped, err := compress(content)
	if err != nil {
		return err
	}
	a.urls[name] = Prefix + hashed
	a.byPath[hashed] = asset{kind: types[ext], etag: hash, content: content, gzipped: gzipped}
	return nil
}

func compress(content []byte) ([]byte, error) {
	var buf bytes.Buffer
	w, err := gzip.NewWriterLevel(&buf, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	if _, err := w.Write(content); err != nil {
		return nil, err
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	if buf.Len() >= len(content) {
		return nil, nil
	}
	return buf.Bytes(), nil
}

// URL gives the address of a file such as app.css or lib/htmx.min.js, and ""
// for one that is not there.
func (a *Assets) URL(name string) string {
	return a.urls[name]
}

// Missing names the third-party files that are not installed. A server that
// lacks one must not start: its pages would look right and not be live.
func (a *Assets) Missing() []string {
	return slices.DeleteFunc(slices.Clone(thirdParty), func(name string) bool {
		return a.urls[name] != ""
	})
}

// ServeHTTP answers GET and HEAD below Prefix. An address whose hash is not
// current is 404: an old page must not run on a new script.
func (a *Assets) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	file, ok := a.byPath[strings.TrimPrefix(r.URL.Path, Prefix)]
	if !ok {
		http.NotFound(w, r)
		return
	}
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		w.Header().Set("Allow", "GET, HEAD")
		http.Error(w, "method not allowed", http.StatusMethodNotAllowed)
		return
	}
	header := w.Header()
	header.Set("Content-Type", file.kind)
	header.Set("X-Content-Type-Options", "nosniff")
	// immutable, because the address changes whenever the content does.
	header.Set("Cache-Control", "public, max-age=31536000, immutable")
	header.Set("Vary", "Accept-Encoding")
	content, etag := file.content, file.etag
	if file.gzipped != nil && AcceptsGzip(r.Header.Get("Accept-Encoding")) {
		content, etag = file.gzipped, file.etag+"-gzip"
		header.Set("Content-Encoding", "gzip")
	}
	header.Set("ETag", `"`+etag+`"`)
	if matches(r.Header.Get("If-None-Match"), header.Get("ETag")) {
		header.Del("Content-Encoding")
		w.WriteHeader(http.StatusNotModified)
		return
	}
	header.Set("Content-Length", fmt.Sprint(len(content)))
	if r.Method == http.MethodGet {
		// A failed write means the reader left; there is nobody to tell.
		_, _ = w.Write(content)
	}
}

// AcceptsGzip reads an Accept-Encoding header; a weight of zero means no.
func AcceptsGzip(header string) bool {
	for item := range strings.SplitSeq(header, ",") {
		coding, weight, _ := strings.Cut(item, ";")
		if strings.EqualFold(strings.TrimSpace(coding), "gzip") {
			weight = strings.ReplaceAll(weight, " ", "")
			return strings.Trim(weight, "q=0.") != "" || weight == ""
		}
	}
	return false
}

// matches reads an If-None-Match header; a weak tag is as good as a strong one.
func matches(header, etag string) bool {
	for item := range strings.SplitSeq(header, ",") {
		item = strings.TrimPrefix(strings.TrimSpace(item), "W/")
		if item == etag || item == "*" {
			return true
		}
	}
	return false
}
