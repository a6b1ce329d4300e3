package views

import (
	"strings"

	"countersign/domain/mplp"
)

// Shown returns text with marks for invisible characters.
func Shown(s string) string {
	var b strings.Builder
	for _, segment := range Visible(s) {
		b.WriteString(segment.Text)
	}
	return b.String()
}

// Marked returns text for places without elements, such as a page title or a
// terminal. What pages mark by an element is followed by words.
func Marked(s string) string {
	if isVisible(s) {
		return s
	}
	var b strings.Builder
	for _, segment := range Visible(s) {
		b.WriteString(segment.Text)
		switch segment.Kind {
		case MixedScript:
			b.WriteString("⟦mixed alphabets⟧")
		case LookAlike:
			b.WriteString("⟦looks like " + likeness(segment.Text) + "⟧")
		case RightToLeft, RightToLeftNumber: // Latin letters keep the order of what is around them
			b.WriteString("⟦right to left⟧")
		}
	}
	return b.String()
}

// Editable returns JSON for a text area, which shows text as it is. Invisible
// characters are written as escapes, so the value stays the same.
func Editable(json string) string {
	var marks stack
	text := strings.ReplaceAll(json, "\r\n", "\n") // as browsers send ends of lines
	return mplp.Escape(text, func(r rune) bool { return marks.isTooMany(r) || isInvisible(r) })
}
