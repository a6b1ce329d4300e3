package views

import (
	"context"
	"io"
	"strconv"
	"sync"

	"github.com/a-h/templ"
)

// htmlBuffer is HTML in the making, for what a template cannot write: it may add white
// space between elements, and in text that is signed every space counts.
type htmlBuffer struct{ buf []byte }

// html appends what is HTML already.
func (m *htmlBuffer) html(parts ...string) {
	for _, part := range parts {
		m.buf = append(m.buf, part...)
	}
}

// text appends text, and values of attributes.
func (m *htmlBuffer) text(s string) {
	if isPlainHTML(s) {
		m.html(s)
		return
	}
	m.html(templ.EscapeString(s))
}

// isPlainHTML reports whether s means the same as HTML and as text.
func isPlainHTML(s string) bool {
	for i := range len(s) {
		switch s[i] {
		case '&', '<', '>', '"', '\'':
			return false
		}
	}
	return true
}

// number appends a number.
func (m *htmlBuffer) number(n int64) { m.buf = strconv.AppendInt(m.buf, n, 10) }

var bufferPool = sync.Pool{New: func() any { return new(htmlBuffer) }}

// component is what draw writes, as a component.
func component(draw func(*htmlBuffer)) templ.Component {
	return templ.ComponentFunc(func(_ context.Context, w io.Writer) error {
		m := bufferPool.Get().(*htmlBuffer)
		defer bufferPool.Put(m)
		m.buf = m.buf[:0]
		draw(m)
		_, err := w.Write(m.buf)
		return err
	})
}

// renderOnce is a component that never changes, rendered once.
func renderOnce(c templ.Component) templ.Component {
	made := sync.OnceValues(func() ([]byte, error) {
		m := new(htmlBuffer)
		err := c.Render(context.Background(), m)
		return m.buf, err
	})
	return templ.ComponentFunc(func(_ context.Context, w io.Writer) error {
		html, err := made()
		if err == nil {
			_, err = w.Write(html)
		}
		return err
	})
}

// Write implements io.Writer.
func (m *htmlBuffer) Write(p []byte) (int, error) {
	m.buf = append(m.buf, p...)
	return len(p), nil
}
