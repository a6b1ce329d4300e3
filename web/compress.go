package web

import (
	"bytes"
	"io"
	"net/http"
	"sync"

	"github.com/klauspost/compress/gzip"
	"github.com/labstack/echo/v4"

	"countersign/static"
)

// minCompressed is the size in bytes from which a page is worth compressing:
// smaller ones fit into a packet as they are.
const minCompressed = 1400

// compressors are kept because each holds tables that are larger than a page.
var compressors = sync.Pool{New: func() any {
	w, err := gzip.NewWriterLevel(io.Discard, gzip.BestSpeed)
	if err != nil {
		panic(err) // the level is one there is
	}
	return w
}}

// compressed returns the page as gzip, or nil if it is to be sent as it is.
//
// The length of a compressed page shows whether it has a chosen text twice
// (BREACH). So a page that repeats what came
// with the request, a search or a refused form, is not compressed: only what a
// GET without a query finds is. The one secret that is the same on every page,
// the form token, is masked anew on each (see credential.FormToken).
func compressed(c echo.Context, status int, page []byte) []byte {
	r := c.Request()
	if len(page) < minCompressed || status != http.StatusOK || r.Method != http.MethodGet || r.URL.RawQuery != "" ||
		!static.AcceptsGzip(r.Header.Get(echo.HeaderAcceptEncoding)) {
		return nil
	}
	w := compressors.Get().(*gzip.Writer)
	defer compressors.Put(w)
	var out bytes.Buffer
	out.Grow(len(page) / 4)
	w.Reset(&out)
	_, err := w.Write(page)
	if err != nil || w.Close() != nil {
		return nil // memory does not fail
	}
	return out.Bytes()
}
