package views_test

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"countersign/views"
)

func TestVisible(t *testing.T) {
	t.Parallel()
	plain := func(s string) views.Segment { return views.Segment{Text: s, Kind: views.Plain} }
	mark := func(s string) views.Segment { return views.Segment{Text: s, Kind: views.Invisible} }
	mixed := func(s string) views.Segment { return views.Segment{Text: s, Kind: views.MixedScript} }
	tests := []struct {
		name string
		in   string
		want []views.Segment
	}{
		{"empty", "", nil},
		{"white space that people type", "a b\tc\nd", []views.Segment{plain("a b\tc\nd")}},
		{"other alphabets alone", "Привет мир, xin chào, 你好", []views.Segment{plain("Привет мир, xin chào, 你好")}},
		{"right-to-left override", "a\u202eb", []views.Segment{plain("a"), mark("⟦U+202E⟧"), plain("b")}},
		{"zero width and no-break space", "\u200b\u00a0", []views.Segment{mark("⟦U+200B⟧"), mark("⟦U+00A0⟧")}},
		{"line separators", "\u2028\u2029", []views.Segment{mark("⟦U+2028⟧"), mark("⟦U+2029⟧")}},
		{"controls", "\x00\r\x1b", []views.Segment{mark("⟦U+0000⟧"), mark("⟦U+000D⟧"), mark("⟦U+001B⟧")}},
		{"tag characters", "\U000e0041", []views.Segment{mark("⟦U+E0041⟧")}},
		{"variation selectors and fillers", "\ufe0f\u3164\u2800", []views.Segment{mark("⟦U+FE0F⟧"), mark("⟦U+3164⟧"), mark("⟦U+2800⟧")}},
		{"marks piled up", "e\u0301\u0302\u0303\u0304\u0305\u0306x\u0301", []views.Segment{plain("e\u0301\u0302\u0303\u0304"), mark("⟦U+0305⟧"), mark("⟦U+0306⟧"), plain("x\u0301")}},
		{"private use", "\ue000", []views.Segment{mark("⟦U+E000⟧")}},
		{"broken UTF-8", "a\xffb", []views.Segment{plain("a"), mark("⟦0xFF⟧"), plain("b")}},
		{"Cyrillic in a Latin word", "to pаypal.com", []views.Segment{plain("to "), mixed("pаypal"), plain(".com")}},
		{"Greek in a Latin word", "Αdmin", []views.Segment{mixed("Αdmin")}},
		{"alphabets side by side", "рубль USD", []views.Segment{plain("рубль USD")}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(tt.want, views.Visible(tt.in)); diff != "" {
				t.Errorf("Visible (-want, +got):\n%s", diff)
			}
		})
	}
}

// Every scalar value is either drawn by some font or marked, and none is lost.
func TestVisibleOfEveryCharacter(t *testing.T) {
	t.Parallel()
	for r := rune(0); r <= unicode.MaxRune; r++ {
		if !utf8.ValidRune(r) {
			continue
		}
		segments := views.Visible(string(r))
		if len(segments) != 1 {
			t.Fatalf("%U gives %d segments", r, len(segments))
		}
		text, marked := segments[0].Text, segments[0].Kind == views.Invisible
		if !marked && text != string(r) {
			t.Fatalf("%U became %q", r, text)
		}
		ordinary := r == '\n' || r == '\t' || r == ' ' || unicode.IsGraphic(r) && !unicode.Is(unicode.Zs, r)
		if !ordinary && !marked {
			t.Fatalf("%U hides", r)
		}
		if marked && !strings.HasPrefix(text, "⟦U+") {
			t.Fatalf("%U is marked %q", r, text)
		}
	}
}
