package reading

import (
	"strings"
	"testing"
)

// drawn is a difference with changes in brackets, and a tilde before dim lines.
func drawn(lines []Line) string {
	var b strings.Builder
	for _, line := range lines {
		if line.IsDim {
			b.WriteByte('~')
		}
		b.WriteByte(line.Op)
		b.WriteString(line.Text[:line.From])
		if line.To > line.From {
			b.WriteString("[" + line.Text[line.From:line.To] + "]")
		}
		b.WriteString(line.Text[line.To:] + "\n")
	}
	return b.String()
}

func TestCompare(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, before, after, want, title string }{
		{"equal", "a\nb", "a\nb", " a\n b\n", "no line differs"},
		{"a word", "x = true\ny", "x = false\ny", "-x = [true]\n+x = [false]\n y\n", "1 line comes, 1 goes"},
		{"part of a word", "timeout: 30", "timeout: 300", "-timeout: [30]\n+timeout: [300]\n", "1 line comes, 1 goes"},
		{"letters of two bytes", "größe = ä", "größe = ö", "-größe = [ä]\n+größe = [ö]\n", "1 line comes, 1 goes"},
		{"white space", "if a {\nb", "if  a {\n\tb", "~-if a {\n~-b\n~+if  a {\n~+\tb\n", "2 lines come, 2 go, 2 only white space"},
		{"white space and more", "a\nb\nc", " a\nb", "~-a\n~+ a\n b\n-c\n", "1 line comes, 2 go, 1 only white space"},
		{"moved", "first line\nb\nc\nd", "b\nc\nd\nfirst line", "~-first line\n b\n c\n d\n~+first line\n", "1 line comes, 1 goes, 1 moved"},
		{"a bracket does not move", "}\nb", "b\n}", "-}\n b\n+}\n", "1 line comes, 1 goes"},
		{"nothing in common", "abc", "xyz", "-abc\n+xyz\n", "1 line comes, 1 goes"},
		{"added only", "a", "a\nb", " a\n+b\n", "1 line comes, 0 go"},
	}
	for _, tt := range tests {
		lines := Compare(strings.Split(tt.before, "\n"), strings.Split(tt.after, "\n"))
		title := CountChanges(lines).Title()
		if got := drawn(lines); got != tt.want || title != tt.title {
			t.Errorf("%s:\n%s%s\nwant\n%s%s", tt.name, got, title, tt.want, tt.title)
		}
	}
}

// A unified diff is read by what its hunks announce: a line that goes may look like a
// header.
func TestUnifiedLines(t *testing.T) {
	t.Parallel()
	text := "--- a\n+++ b\n@@ -1,3 +1,2 @@ f\n x\n--- y\n-z\n+z2\n--- c\n+++ d\n@@ -1 +1 @@\n-p\n+q\n\\ No newline"
	want := "@--- a\n@+++ b\n@@@ -1,3 +1,2 @@ f\n x\n--- y\n-z\n+z2\n@--- c\n@+++ d\n@@@ -1 +1 @@\n-p\n+q\n@\\ No newline\n"
	if got := drawn(unifiedLines(text)); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}
