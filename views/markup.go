package views

import (
	"context"
	"io"
	"sync"

	"github.com/a-h/templ"
)

// markup is HTML in the making. What stands in a page by the hundred is written
// with it: as templates, the rows took most of the time of an inbox.
type markup []byte

// html appends what is HTML already.
func (m *markup) html(parts ...string) {
	for _, part := range parts {
		*m = append(*m, part...)
	}
}

// text appends text, and values of attributes.
func (m *markup) text(s string) { m.html(templ.EscapeString(s)) }

var markups = sync.Pool{New: func() any { return new(markup) }}

// drawn is what draw writes, as a component.
func drawn(draw func(*markup)) templ.Component {
	return templ.ComponentFunc(func(_ context.Context, w io.Writer) error {
		m := markups.Get().(*markup)
		defer markups.Put(m)
		*m = (*m)[:0]
		draw(m)
		_, err := w.Write(*m)
		return err
	})
}
