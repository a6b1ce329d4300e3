package views_test

import (
	"bytes"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/a-h/templ"

	"countersign/domain/mplp"
	"countersign/views"
)

func htmlBuffer(t *testing.T, c templ.Component) string {
	t.Helper()
	var buf bytes.Buffer
	if err := c.Render(t.Context(), &buf); err != nil {
		t.Fatal(err)
	}
	return buf.String()
}

// What an agent wrote is shown to the character: nothing cut, no white space
// added by a template, no markup let through.
func TestAgentTextIsWhole(t *testing.T) {
	t.Parallel()
	texts := map[string]string{
		"white space": "  a  b\n\n\tc ",
		"markup":      `<b onclick="x">&amp;</b>`,
		"long":        strings.Repeat("x", 100_000) + "end",
	}
	for name, text := range texts {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			doc := document(t, []byte(htmlBuffer(t, views.AgentText(text))))
			if got := doc.Find(".agent-text[hx-ignore]").Text(); got != text {
				t.Errorf("got %.80q, want %.80q", got, text)
			}
			doc = document(t, []byte(htmlBuffer(t, views.AgentInline(text))))
			if got := doc.Find(".agent-inline[hx-ignore]").Text(); got != text {
				t.Errorf("inline: got %.80q, want %.80q", got, text)
			}
		})
	}
}

// Long gaps in the agent's words have marks, and are copied.
func TestAgentTextMarksLongGaps(t *testing.T) {
	t.Parallel()
	blanks := func(n int) string { return strings.Repeat(" ", n) }
	tests := []struct {
		name, text string
		marks      []string // in a text
		inline     []string // within a line
	}{
		{"blanks", "Refund." + blanks(312) + "And close it.", []string{"⟦312 blanks⟧"}, []string{"⟦312 blanks⟧"}},
		{"tabs", "a" + strings.Repeat("\t", 8) + "b", []string{"⟦8 blanks⟧"}, []string{"⟦8 blanks⟧"}},
		{"blanks at the end", "a" + blanks(9), []string{"⟦9 blanks⟧"}, []string{"⟦9 blanks⟧"}},
		{"empty lines", "a\n\n\n\n\n\n\n\nb", []string{"⟦7 empty lines⟧"}, []string{"⟦7 empty lines⟧"}},
		{"lines of blanks", "a\n \n\t\n\nb", []string{"⟦3 empty lines⟧"}, []string{"⟦3 empty lines⟧"}},
		{"both", "a\n\n\n\nb" + blanks(20) + "c", []string{"⟦3 empty lines⟧", "⟦20 blanks⟧"}, []string{"⟦3 empty lines⟧", "⟦20 blanks⟧"}},
		{"indentation", "a\n" + blanks(12) + "b", nil, []string{"⟦12 blanks⟧"}},
		{"far indentation", "a\n" + blanks(40) + "b", []string{"⟦40 blanks⟧"}, []string{"⟦40 blanks⟧"}},
		{"a table", "a" + blanks(7) + "b\n\n\nc", nil, nil},
		{"a mark by the agent", "a⟦9 blanks⟧b", nil, nil},
	}
	for _, tt := range tests {
		for view, c := range map[string]templ.Component{"text": views.AgentText(tt.text), "inline": views.AgentInline(tt.text)} {
			doc, want := document(t, []byte(htmlBuffer(t, c))), tt.marks
			if view == "inline" {
				want = tt.inline
			}
			var marks []string
			for _, mark := range doc.Find(".blanks").EachIter() {
				marks = append(marks, mark.AttrOr("data-mark", ""))
			}
			if !slices.Equal(marks, want) {
				t.Errorf("%s, %s: the marks are %q, want %q", view, tt.name, marks, want)
			}
			if got := doc.Find(".agent-text, .agent-inline").First().Text(); got != tt.text {
				t.Errorf("%s, %s: the text is %q, want %q", view, tt.name, got, tt.text)
			}
		}
	}
}

func TestCodeIsLossless(t *testing.T) {
	t.Parallel()
	args := `{"big":9007199254740993,"huge":1e400,"esc":"\u202e\/","same":1,"same":2,"empty":{},"s":"a  b"}`
	doc := document(t, []byte(htmlBuffer(t, views.Code(args))))
	var shown strings.Builder
	for _, line := range doc.Find(".code li").EachIter() {
		shown.WriteString(strings.TrimLeft(line.Text(), " "))
	}
	want := strings.NewReplacer(`":`, `": `).Replace(args)
	if got := shown.String(); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if got := doc.Find("b").First().Text(); got != `"big"` {
		t.Errorf("first member's name is %q", got)
	}
}

// Each line has its number, and very many lines stand in blocks.
func TestCodeNumbersItsLines(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name          string
		lines, blocks int
		isLong        bool
	}{
		{"one line", 1, 0, false},
		{"as many as are laid out at once", 2000, 0, false},
		{"one more", 2001, 21, false},
		{"numbers of five digits", 10_000, 100, true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			doc := document(t, []byte(htmlBuffer(t, views.Code("no JSON"+strings.Repeat("\n", tc.lines-1)))))
			for i, line := range doc.Find(".code li").EachIter() {
				if got, want := line.AttrOr("data-line", ""), strconv.Itoa(i+1); got != want {
					t.Fatalf("line %s has the number %s", want, got)
				}
			}
			n, blocks, isLong := doc.Find(".code li").Length(), doc.Find(".code .block").Length(), doc.Find(".code.long").Length() == 1
			if n != tc.lines || blocks != tc.blocks || isLong != tc.isLong {
				t.Errorf("%d lines, %d blocks, long: %t, want %+v", n, blocks, isLong, tc)
			}
		})
	}
}

// Many blanks in a line have a mark, and are copied.
func TestCodeMarksManyBlanks(t *testing.T) {
	t.Parallel()
	text := "a" + strings.Repeat(" ", 312) + "b"
	doc := document(t, []byte(htmlBuffer(t, views.Code(`{"x":"`+text+`","y":"7       blanks"}`))))
	if got := doc.Find(".blanks").AttrOr("data-mark", ""); got != "⟦312 blanks⟧" || doc.Find(".blanks").Length() != 1 {
		t.Errorf("%d marks, the first %q", doc.Find(".blanks").Length(), got)
	}
	if !strings.Contains(doc.Find(".code").Text(), text) {
		t.Error("the blanks are gone")
	}
}

func TestIndentLeavesAloneWhatIsNotJSON(t *testing.T) {
	t.Parallel()
	if got := views.Indent("{oops"); got != "{oops" {
		t.Errorf("got %q", got)
	}
}

// FuzzIndent: what the display changes of arguments is white space between tokens.
func FuzzIndent(f *testing.F) {
	for _, seed := range []string{`{}`, `[]`, `{"a":[1,{"b":[]}]}`, `"\u0000\ud83d\ude00"`, `-0.0e-00`, `[1e400,9007199254740993]`, `nul`, `{"<":"\u2028"}`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		compact, err := mplp.Compact([]byte(text))
		if err != nil {
			return
		}
		shown := views.Indent(string(compact))
		if back, err := mplp.Compact([]byte(shown)); err != nil || string(back) != string(compact) {
			t.Errorf("%q is shown as %q: %v", compact, shown, err)
		}
	})
}

func TestDiff(t *testing.T) {
	t.Parallel()
	big := func(n int, fill string) string {
		return "[" + strings.TrimSuffix(strings.Repeat(`"`+fill+`",`, n), ",") + "]"
	}
	// marks is a list of 200 zeros but for ones that stand so many lines apart.
	marks := func(apart int) string {
		list := slices.Repeat([]string{"0"}, 200)
		for i := apart; i < len(list); i += apart {
			list[i] = "1"
		}
		return "[" + strings.Join(list, ",") + "]"
	}
	tests := []struct {
		name           string
		before, after  string
		removed, added int
		says           string // of a long one
		changes        int
	}{
		{"one value", `{"a":1,"b":2}`, `{"a":1,"b":3}`, 1, 1, "", 0},
		{"member added", `{"a":1}`, `{"a":1,"b":2}`, 1, 2, "", 0},
		{"white space only", `{"a":1}`, "{ \"a\" : 1 }", 0, 0, "", 0},
		{"equal", `{"a":1}`, `{"a":1}`, 0, 0, "", 0},
		{"too large to align", big(3000, "x"), big(3000, "y"), 3000, 3000, "1 change in 6,002 lines: go to", 1},
		{"far apart", marks(200), marks(60), 3, 3, "3 changes in 205 lines: go to", 3},
		{"more than are named", marks(200), marks(3), 66, 66, "66 changes in 268 lines: go to", 66},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			doc := document(t, []byte(htmlBuffer(t, views.Diff("1", tt.before, tt.after))))
			if got := doc.Find("li.removed").Length(); got != tt.removed {
				t.Errorf("%d lines removed, want %d", got, tt.removed)
			}
			if got := doc.Find("li.added").Length(); got != tt.added {
				t.Errorf("%d lines added, want %d", got, tt.added)
			}
			for n, link := range doc.Find(".depends a").EachIter() {
				if target := doc.Find(link.AttrOr("href", "")); !target.Is(".removed, .added") || target.Length() != 1 {
					t.Errorf("link %d leads to %d elements, want one line that changes", n+1, target.Length())
				}
			}
			if got := doc.Find(".depends span").First().Text(); got != tt.says || doc.Find(".depends a").Length() != min(tt.changes, 50) {
				t.Errorf("it says %q and has %d links, want %q and %d", got, doc.Find(".depends a").Length(), tt.says, tt.changes)
			}
		})
	}
}

func TestSpan(t *testing.T) {
	t.Parallel()
	tests := []struct {
		d    time.Duration
		want string
	}{
		{-time.Second, "0 s"},
		{59*time.Second + 999*time.Millisecond, "59 s"},
		{time.Minute, "1 min"},
		{72 * time.Second, "1 min 12 s"},
		{2*time.Hour + 59*time.Minute, "2 h 59 min"},
		{49 * time.Hour, "2 d 1 h"},
	}
	for _, tt := range tests {
		if got := views.Span(tt.d); got != tt.want {
			t.Errorf("Span(%v) = %q, want %q", tt.d, got, tt.want)
		}
	}
}

func TestUntil(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		left time.Duration
		want views.Urgency
	}{
		{"a minute is calm", time.Minute, views.Calm},
		{"less is soon", 59 * time.Second, views.Soon},
		{"ten seconds are soon", 10 * time.Second, views.Soon},
		{"less is critical", 9 * time.Second, views.Critical},
		{"the deadline itself is over", 0, views.Expired},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := views.Until(now.Add(tt.left), now).Urgency; got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
	if got := views.Until(time.Time{}, now); got != (views.Deadline{}) {
		t.Errorf("no deadline gives %+v", got)
	}
}
