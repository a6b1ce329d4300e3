package views

import (
	"context"
	"io"
	"strconv"
	"sync"
	"time"

	"github.com/a-h/templ"
)

// markup is HTML in the making. What stands in a page by the hundred is written
// with it: as templates, the rows took most of the time of an inbox.
type markup struct {
	made []byte
	gaps []gap // in their order
}

// gap is where something stands that passes with time, such as an age.
type gap struct {
	at   int // of made
	fill func(m *markup, now time.Time)
}

// html appends what is HTML already.
func (m *markup) html(parts ...string) {
	for _, part := range parts {
		m.made = append(m.made, part...)
	}
}

// text appends text, and values of attributes.
func (m *markup) text(s string) {
	if plain(s) {
		m.html(s)
		return
	}
	m.html(templ.EscapeString(s))
}

// plain reports whether s means the same as HTML and as text.
func plain(s string) bool {
	for i := range len(s) {
		switch s[i] {
		case '&', '<', '>', '"', '\'':
			return false
		}
	}
	return true
}

// number appends a number.
func (m *markup) number(n int64) { m.made = strconv.AppendInt(m.made, n, 10) }

// later leaves a gap.
func (m *markup) later(fill func(m *markup, now time.Time)) {
	m.gaps = append(m.gaps, gap{len(m.made), fill})
}

// filled appends markup with its gaps filled as of now.
func (m *markup) filled(with *markup, now time.Time) {
	at := 0
	for _, gap := range with.gaps {
		m.made = append(m.made, with.made[at:gap.at]...)
		gap.fill(m, now)
		at = gap.at
	}
	m.made = append(m.made, with.made[at:]...)
}

var markups = sync.Pool{New: func() any { return new(markup) }}

// drawn is what draw writes, as a component. It must leave no gaps.
func drawn(draw func(*markup)) templ.Component {
	return templ.ComponentFunc(func(_ context.Context, w io.Writer) error {
		m := markups.Get().(*markup)
		defer markups.Put(m)
		m.made = m.made[:0]
		draw(m)
		_, err := w.Write(m.made)
		return err
	})
}

// constant is a component that never changes, rendered once.
func constant(c templ.Component) templ.Component {
	made := sync.OnceValues(func() ([]byte, error) {
		m := new(markup)
		err := c.Render(context.Background(), m)
		return m.made, err
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
func (m *markup) Write(p []byte) (int, error) {
	m.made = append(m.made, p...)
	return len(p), nil
}
