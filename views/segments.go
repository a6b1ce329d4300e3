package views

import "github.com/a-h/templ"

// segmentsText is segments for SVG text, where a mark has no element of its own.
func segmentsText(s string) templ.Component {
	return drawn(func(m *markup) {
		for _, segment := range Visible(s) {
			m.text(segment.Text)
		}
	})
}

// segments writes text with its marks. It is no template because a template may
// add white space between elements, and in text that is signed every space
// counts.
func (m *markup) segments(s string) {
	if obvious(s) {
		m.text(s)
		return
	}
	for _, segment := range Visible(s) {
		open, end := "", ""
		switch segment.Kind {
		case Invisible:
			open, end = `<span class="invisible">`, `</span>`
		case MixedScript:
			open, end = `<span class="mixed-script" title="This word mixes letters of different alphabets">`, `</span>`
		}
		m.html(open)
		m.text(segment.Text)
		m.html(end)
	}
}
