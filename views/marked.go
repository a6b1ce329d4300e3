package views

import (
	"fmt"
	"strings"
	"unicode/utf16"
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

// Editable is JSON for an editor, which shows text as it is: what hides, or
// hides what is around it, is written as the escape that means the same, and so remains the same value.
func Editable(json string) string {
	var b strings.Builder
	var marks stack
	for _, r := range strings.ReplaceAll(json, "\r\n", "\n") { // as browsers send ends of lines
		piled := marks.piles(r)
		switch {
		case !piled && !hides(r):
			b.WriteRune(r)
		case r > 0xffff:
			high, low := utf16.EncodeRune(r)
			fmt.Fprintf(&b, `\u%04x\u%04x`, high, low)
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
	}
	return b.String()
}
