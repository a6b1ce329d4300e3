package views

import (
	"maps"
	"slices"

	"github.com/a-h/templ"
)

// icons are the paths of the icons, stroked on a 16 by 16 grid.
var icons = map[string]string{
	"approve":  "M3 8.5l3.2 3.2L13 4.8",
	"reject":   "M4 4l8 8M12 4l-8 8",
	"changes":  "M2.5 8a5.5 5.5 0 0 1 9.6-3.6L13.5 6M13.5 2.5V6H10M13.5 8a5.5 5.5 0 0 1-9.6 3.6L2.5 10M2.5 13.5V10H6",
	"edit":     "M3 13l.7-3L10.5 3.2a1.4 1.4 0 0 1 2 0l.3.3a1.4 1.4 0 0 1 0 2L6 12.3 3 13zM9.5 4.5l2 2",
	"clock":    "M8 2.2a5.8 5.8 0 1 1 0 11.6A5.8 5.8 0 0 1 8 2.2zM8 5v3.2l2.2 1.4",
	"cancel":   "M8 2.2a5.8 5.8 0 1 1 0 11.6A5.8 5.8 0 0 1 8 2.2zM4 12L12 4",
	"warning":  "M8 2.4L14.2 13H1.8L8 2.4zM8 6.5v3M8 11.2v.3",
	"look":     "M1.6 8c1.6-2.8 3.8-4.2 6.4-4.2s4.8 1.4 6.4 4.2c-1.6 2.8-3.8 4.2-6.4 4.2S3.2 10.8 1.6 8zM8 6a2 2 0 1 1 0 4 2 2 0 0 1 0-4z",
	"info":     "M8 2.2a5.8 5.8 0 1 1 0 11.6A5.8 5.8 0 0 1 8 2.2zM8 7.4v3.4M8 5v.3",
	"import":   "M8 2.5v7M5 6.8l3 3 3-3M3 12.8h10",
	"unbound":  "M6.5 9.5l3-3M5 7.5L3.6 8.9a2.5 2.5 0 0 0 3.5 3.5L8.5 11M11 8.5l1.4-1.4a2.5 2.5 0 0 0-3.5-3.5L7.5 5M3 3l10 10",
	"lock":     "M4 7.2h8v6H4zM5.6 7.2V5a2.4 2.4 0 0 1 4.8 0v2.2",
	"draft":    "M4 2.5h5.5L12 5v8.5H4zM9.2 2.5V5.3H12",
	"running":  "M5 3.5l7 4.5-7 4.5z",
	"done":     "M1.8 8.8l2.6 2.7L9 6M7.2 11.2l.4.3L14 5",
	"failed":   "M8 2.2a5.8 5.8 0 1 1 0 11.6A5.8 5.8 0 0 1 8 2.2zM8 4.8v4M8 11v.2",
	"blocked":  "M5.6 2.2h4.8l3.4 3.4v4.8l-3.4 3.4H5.6l-3.4-3.4V5.6zM5 8h6",
	"skipped":  "M3.5 4l5 4-5 4zM11.5 4v8",
	"proposed": "M8 13V3.5M4.2 7L8 3.2 11.8 7",
	"gate":     "M3 13.5v-11M13 13.5v-11M3 5.5h10M3 9h10",
	"user":     "M8 2.5a2.7 2.7 0 1 1 0 5.4 2.7 2.7 0 0 1 0-5.4zM2.8 13.5c.4-2.7 2.5-4 5.2-4s4.8 1.3 5.2 4",
	"agent":    "M4 5.5h8v6.5H4zM8 5.5V3M6.3 8.3v.6M9.7 8.3v.6M2.2 8v2M13.8 8v2",
	"key":      "M10.2 2.8a3 3 0 1 1 0 6 3 3 0 0 1 0-6zM8 8l-5 5M4.6 11.4l1.6 1.6",
	"next":     "M3 8h9.5M8.8 4.2L12.6 8l-3.8 3.8",
	"back":     "M13 8H3.5M7.2 4.2L3.4 8l3.8 3.8",
	"search":   "M7 2.8a4.2 4.2 0 1 1 0 8.4 4.2 4.2 0 0 1 0-8.4zM10.2 10.2l3.3 3.3",
	"copy":     "M6 5.5h7.2v8H6zM10 5.5v-3H2.8v8H6",
	"plus":     "M8 3v10M3 8h10",
	"inbox":    "M2.5 9.5l2-6h7l2 6v3.8h-11zM2.5 9.5h3.4l.9 1.7h2.4l.9-1.7h3.4",
	"plan":     "M2.5 3h4v3h-4zM9.5 10h4v3h-4zM9.5 3h4v3h-4zM6.5 4.5h3M11.5 6v4",
	"context":  "M3 2.5h10v11H3zM5.5 5.5h5M5.5 8h5M5.5 10.5h3",
	"filter":   "M2.5 3.5h11l-4.2 5v4l-2.6 1v-5z",
	"sign-out": "M9.5 2.8h-6v10.4h6M6.5 8h7M11 5.2L13.8 8 11 10.8",
}

// Icon draws a decorative icon. The words beside it say the same.
func Icon(name string) templ.Component { return component(func(m *htmlBuffer) { m.icon(name) }) }

func (m *htmlBuffer) icon(name string) {
	m.html(`<svg class="icon" aria-hidden="true"><use href="`, iconRef(name), `"/></svg>`)
}

// iconRef returns the reference to an icon in the sprite.
func iconRef(name string) string { return "#icon-" + name }

// sprite has the paths of all icons, once for each page.
var sprite = renderOnce(component(func(m *htmlBuffer) {
	m.html(`<svg class="sprite" width="0" height="0" aria-hidden="true">`)
	for _, name := range slices.Sorted(maps.Keys(icons)) {
		m.html(`<symbol id="icon-`, name, `" viewBox="0 0 16 16"><path d="`, icons[name], `"/></symbol>`)
	}
	m.html(`</svg>`)
}))
