package mplp

import (
	"fmt"
	"strings"
	"unicode/utf16"
)

// Escape replaces the chosen characters inside the strings of a JSON text by escapes.
// It asks once for each character, in their order.
func Escape(text string, escaped func(rune) bool) string {
	var b strings.Builder
	for _, r := range text {
		if !escaped(r) {
			b.WriteRune(r)
			continue
		}
		for _, unit := range utf16.AppendRune(nil, r) {
			fmt.Fprintf(&b, `\u%04x`, unit)
		}
	}
	return b.String()
}
