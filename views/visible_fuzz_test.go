package views_test

import (
	"regexp"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"countersign/domain/glyph"
	"countersign/views"
)

var mark = regexp.MustCompile(`\A⟦(?:U\+([0-9A-F]{4,6})|0x([0-9A-F]{2}))⟧\z`)

// FuzzVisible: nothing hides in what is shown, and it says exactly what was
// there.
func FuzzVisible(f *testing.F) {
	for _, seed := range []string{"plain", "\u202e", "\xff", "⟦U+202E⟧", "p\u0430ypal", "a\u200bb\n\tc", "\U000e0041", "\u00a0", "日本", "א 1 ب٢", "сору", "𝗔․b", "o\u0336"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var read strings.Builder
		for _, segment := range views.Visible(text) {
			if !utf8.ValidString(segment.Text) || views.Hidden(segment.Text) > 0 {
				t.Errorf("%q hides something", segment.Text)
			}
			if segment.Kind == views.Plain && strings.ContainsFunc(segment.Text, glyph.IsRightToLeft) {
				t.Errorf("%q turns its neighbours around", segment.Text)
			}
			if segment.Kind != views.Invisible {
				read.WriteString(segment.Text)
				continue
			}
			m := mark.FindStringSubmatch(segment.Text)
			if m == nil {
				t.Fatalf("%q is no mark", segment.Text)
			}
			if n, err := strconv.ParseInt(m[1]+m[2], 16, 32); err != nil {
				t.Fatal(err)
			} else if m[1] != "" {
				read.WriteRune(rune(n))
			} else {
				read.WriteByte(byte(n))
			}
		}
		if read.String() != text {
			t.Errorf("%q is shown as %q", text, read.String())
		}
	})
}
