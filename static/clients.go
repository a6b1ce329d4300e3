package static

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"io/fs"
	"net/http"
	"path"
	"time"
)

//go:embed clients
var clientFiles embed.FS

// ClientsPrefix is where the clients for other languages are mounted.
const ClientsPrefix = "/clients/"

// clientTypes are the content types by extension. Browsers and Deno import a module only
// with its own.
var clientTypes = map[string]string{
	".mjs":  "text/javascript; charset=utf-8",
	".ts":   "application/typescript; charset=utf-8",
	".json": "application/json",
	".py":   "text/x-python; charset=utf-8",
}

// Clients serves the clients below ClientsPrefix. Their addresses stay when they change,
// so that every use asks whether they did.
func Clients() http.Handler { return http.HandlerFunc(serveClient) }

func serveClient(w http.ResponseWriter, r *http.Request) {
	name := r.URL.Path[1:]
	kind := clientTypes[path.Ext(name)]
	content, err := fs.ReadFile(clientFiles, name)
	if err != nil || kind == "" {
		http.NotFound(w, r)
		return
	}
	sum := sha256.Sum256(content)
	header := w.Header()
	header.Set("Content-Type", kind)
	header.Set("X-Content-Type-Options", "nosniff")
	header.Set("Cache-Control", "no-cache")
	header.Set("ETag", `"`+hex.EncodeToString(sum[:])+`"`)
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(content))
}
