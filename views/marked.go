package views

import (
	"strings"

	"countersign/domain/mplp"
)

// Marked is text for where no element may stand, such as the title of a page:
// what hides is a mark as everywhere else.
func Marked(s string) string {
	var b strings.Builder
	for _, segment := range Visible(s) {
		b.WriteString(segment.Text)
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
