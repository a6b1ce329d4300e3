package views_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/PuerkitoBio/goquery"
	"github.com/google/go-cmp/cmp"

	"countersign/domain/glyph"
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
		{"an ellipsis and quotation marks", "“so …” – it’s 5 % × 2", []views.Segment{plain("“so …” – it’s 5 % × 2")}},
		{"full-width signs of a sentence", "你好，世界！（好）", []views.Segment{plain("你好，世界！（好）")}},
		{"letters with marks", "Đặng Nguyễn, kapı, łódź, être", []views.Segment{plain("Đặng Nguyễn, kapı, łódź, être")}},
		{"scripts without spaces", "使用API接口, APIをใช้API", []views.Segment{plain("使用API接口, APIをใช้API")}},
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

// What is drawn over a letter, or draws nothing, is marked.
func TestD2_MarksThatStrikeOut(t *testing.T) {
	t.Parallel()
	overlays := []rune{0x20d2, 0x20d3, 0x20e5, 0x20e6, 0x20ea, 0x20eb}
	for _, span := range [][2]rune{{0x334, 0x338}, {0x20d8, 0x20da}, {0x488, 0x489}, {0x20dd, 0x20e0}, {0x20e2, 0x20e4}, {0xa670, 0xa672}} {
		for r := span[0]; r <= span[1]; r++ {
			overlays = append(overlays, r)
		}
	}
	for _, r := range append(overlays, 0x1d159, 0x2800, 0x3164, 0x115f, 0xffa0) {
		got := views.Visible("a" + string(r) + "b")
		want := []views.Segment{{Text: "a"}, {Text: fmt.Sprintf("⟦U+%04X⟧", r), Kind: views.Invisible}, {Text: "b"}}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%U (-want, +got):\n%s", r, diff)
		}
	}
	for r := range unicode.MaxRune {
		if unicode.Is(unicode.Me, r) && views.Hidden("a"+string(r)) != 1 {
			t.Errorf("%U is drawn around a letter, and not marked", r)
		}
	}
}

// What passes for ASCII is marked.
func TestD3_LookAlikes(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"сору", "аррӏе", "ТЕСТ", "оре", "а", "ρορ", // Cyrillic, Greek
		"ᏢᎪᎩ", "ꓑꓮꓬ", "ⲢⲞⲢ", // Cherokee, Lisu, Coptic
		"𝗗𝗲𝘂𝘁𝘀𝗰𝗵𝗲", "ａｄｍｉｎ", "Ⅳ", "ⓐ", "ⅰ", "\u212a", "pɑypal", "ɡoogle", "ſ",
		"․", "．", "⁄", "∕", "／", "：", "‥", "＠", "∶", "꞉", "⧸", "𝟏𝟎𝟎", "１", "৪০", "०",
	} {
		if diff := cmp.Diff([]views.Segment{{Text: text, Kind: views.LookAlike}}, views.Visible(text)); diff != "" {
			t.Errorf("%q (-want, +got):\n%s", text, diff)
		}
	}
	for _, text := range []string{"pаypal", "соm", "1৪0", "x৪", "payᏢ", "payꓑ", "payⲢ", "Αdmin", "pаy2"} {
		if diff := cmp.Diff([]views.Segment{{Text: text, Kind: views.MixedScript}}, views.Visible(text)); diff != "" {
			t.Errorf("%q (-want, +got):\n%s", text, diff)
		}
	}
	for text, want := range map[string]string{
		"аррӏе.соm":              "[аррӏе].[соm]",
		"PayPal․com":             "PayPal[․]com",
		"Deutsche 𝗕𝗮𝗻𝗸":          "Deutsche [𝗕𝗮𝗻𝗸]",
		"http:／／x":               "http:[／][／]x",
		"отчёт с вложением":      "отчёт с вложением",
		"Привет, с этим":         "Привет, с этим",
		"диск С: и D:":           "диск С: и D:",
		"format С:":              "format [С]:",
		"x = а":                  "x = [а]",
		"Отправить сору куда-то": "Отправить [сору] куда-то",
		"Η γάτα, η νύχτα":        "Η γάτα, η νύχτα",
		"नमस्ते दुनिया, สวัสดี": "नमस्ते दुनिया, สวัสดี",
	} {
		var got strings.Builder
		for _, segment := range views.Visible(text) {
			if segment.Kind == views.Plain {
				got.WriteString(segment.Text)
			} else {
				got.WriteString("[" + segment.Text + "]")
			}
		}
		if got.String() != want {
			t.Errorf("got %s, want %s", got.String(), want)
		}
	}
}

// What is written from right to left stands apart, and so do its digits.
func TestD1_RightToLeftStandsApart(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"pay א 100 200 300": "pay [א] 100 200 300",
		"copy א/ב/ג 100":    "copy [א]/[ב]/[ג] 100",
		"mv א ב":            "mv [א] [ב]",
		"الأ → ب":           "[الأ] → [ب]",
		"٧١١٢ - ٧١١٣":       "<٧١١٢> - <٧١١٣>",
		"1٤0":               "1<٤>0",
		"߁߂ ߊߓ߁ 𞤀𞤁𞥑𞥒":       "<߁߂> [ߊߓ]<߁> [𞤀𞤁]<𞥑𞥒>",
		"שָׁלוֹם־א":         "[שָׁלוֹם][־][א]",
		"payא":              "pay[א]",
		"ܐܒ ހށ ࠀ ࡀ":         "[ܐܒ] [ހށ] [ࠀ] [ࡀ]",
	} {
		var got strings.Builder
		for _, segment := range views.Visible(text) {
			switch segment.Kind {
			case views.RightToLeft:
				got.WriteString("[" + segment.Text + "]")
			case views.RightToLeftNumber:
				got.WriteString("<" + segment.Text + ">")
			default:
				got.WriteString(segment.Text)
			}
		}
		if got.String() != want {
			t.Errorf("got %s, want %s", got.String(), want)
		}
	}
	doc := document(t, []byte(htmlBuffer(t, views.Code(`{"a":"א ב ٧"}`))))
	if got := doc.Find(".hidden-count").Text(); !strings.Contains(got, "2 right-to-left letters") || !strings.Contains(got, "1 right-to-left digit") {
		t.Errorf("it says %q", got)
	}
	if got := doc.Find(".code bdi").Length(); got != 3 {
		t.Errorf("%d isolated, want 3", got)
	}
}

// The name of a tool is for programs.
func TestD5_NamesOfTools(t *testing.T) {
	t.Parallel()
	doc := document(t, []byte(htmlBuffer(t, views.ToolName("  dépl oy "))))
	if got := doc.Find(".agent-inline").Text(); got != "  dépl oy " {
		t.Errorf("it is shown as %q", got)
	}
	if got := doc.Find(".edge-space").Map(func(_ int, s *goquery.Selection) string { return s.Text() }); !slices.Equal(got, []string{"  ", " "}) {
		t.Errorf("spaces at the ends: %q", got)
	}
	if got := doc.Find(".not-ascii"); got.Text() != "é" || got.AttrOr("title", "") != "Not ASCII: U+00E9" {
		t.Errorf("not ASCII is %q", got.Text())
	}
	doc = document(t, []byte(htmlBuffer(t, views.Code(`{"dry_run ":true,"dry_run":false," ":1}`))))
	if got := doc.Find("b .edge-space"); got.Length() != 2 || got.Text() != "  " {
		t.Errorf("%d spaces at the ends of members' names: %q", got.Length(), got.Text())
	}
	if got := doc.Find(".hidden-count").Text(); got != "2 spaces at the ends of names, marked above" {
		t.Errorf("it says %q", got)
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
		if plain := segments[0].Kind == views.Plain; plain && (glyph.IsRightToLeft(r) || unicode.In(r, unicode.L, unicode.N) && glyph.ASCIIForm(r) != "") {
			t.Fatalf("%U is not marked", r)
		}
		if marked && !strings.HasPrefix(text, "⟦U+") {
			t.Fatalf("%U is marked %q", r, text)
		}
	}
}
