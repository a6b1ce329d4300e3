package views_test

import (
	"bytes"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/a-h/templ"
	"github.com/google/go-cmp/cmp"

	"countersign/domain/mplp"
	"countersign/views"
)

func markup(t *testing.T, c templ.Component) string {
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
			doc := document(t, []byte(markup(t, views.AgentText(text))))
			if got := doc.Find(".agent-text[hx-ignore]").Text(); got != text {
				t.Errorf("got %.80q, want %.80q", got, text)
			}
			doc = document(t, []byte(markup(t, views.AgentInline(text))))
			if got := doc.Find(".agent-inline[hx-ignore]").Text(); got != text {
				t.Errorf("inline: got %.80q, want %.80q", got, text)
			}
		})
	}
}

func TestCodeIsLossless(t *testing.T) {
	t.Parallel()
	args := `{"big":9007199254740993,"huge":1e400,"esc":"\u202e\/","same":1,"same":2,"empty":{},"s":"a  b"}`
	doc := document(t, []byte(markup(t, views.Code(args))))
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

// A browser lays lines out in blocks, each of which must say itself where its
// numbers begin.
func TestCodeNumbersItsBlocks(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name  string
		lines int
		want  []string // the first number of each block
		long  bool
	}{
		{"one line", 1, []string{"1"}, false},
		{"a full block", 100, []string{"1"}, false},
		{"one more", 101, []string{"1", "101"}, false},
		{"numbers of five digits", 10_000, nil, true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			doc := document(t, []byte(markup(t, views.Code("no JSON"+strings.Repeat("\n", tc.lines-1)))))
			var got []string
			for _, block := range doc.Find(".code ol").EachIter() {
				got = append(got, block.AttrOr("start", ""))
			}
			if diff := cmp.Diff(tc.want, got); diff != "" && tc.want != nil {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if n, long := doc.Find(".code li").Length(), doc.Find(".code.long").Length() == 1; n != tc.lines || long != tc.long {
				t.Errorf("%d lines, long: %t, want %d and %t", n, long, tc.lines, tc.long)
			}
		})
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
			doc := document(t, []byte(markup(t, views.Diff("1", tt.before, tt.after))))
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
