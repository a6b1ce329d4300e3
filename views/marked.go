package views

import (
	"strings"

	"countersign/domain/mplp"
)

// Shown is text with a mark for what hides, as everywhere else.
func Shown(s string) string {
	var b strings.Builder
	for _, segment := range Visible(s) {
		b.WriteString(segment.Text)
	}
	return b.String()
}

// Marked is text for where no element may stand, such as the title of a page or a
// terminal: what pages mark by an element has words behind it.
func Marked(s string) string {
	if obvious(s) {
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

// Editable is JSON for an editor, which shows text as it is: what hides, or hides
// what is around it, is written as the escape that means the same, and so remains
// the same value.
func Editable(json string) string {
	var marks stack
	text := strings.ReplaceAll(json, "\r\n", "\n") // as browsers send ends of lines
	return mplp.Escape(text, func(r rune) bool { return marks.piles(r) || hides(r) })
}
