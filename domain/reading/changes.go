package reading

import (
	"strconv"
	"strings"
	"unicode"
)

// Changes counts the lines of a difference.
type Changes struct {
	Come, Go   int
	WhiteSpace int // of those that come, how many differ only in white space
	Moved      int // of those that come, how many stood elsewhere
}

// Title says the changes in words.
func (c Changes) Title() string {
	if c.Come+c.Go == 0 {
		return "no line differs"
	}
	says := counted(c.Come, "line comes", "lines come") + ", " + counted(c.Go, "goes", "go")
	if c.WhiteSpace > 0 {
		says += ", " + strconv.Itoa(c.WhiteSpace) + " only white space"
	}
	if c.Moved > 0 {
		says += ", " + strconv.Itoa(c.Moved) + " moved"
	}
	return says
}

// CountChanges counts the lines of a difference. It also finds what changes inside lines,
// and dims those that differ only in white space or stand elsewhere.
func CountChanges(lines []Line) (c Changes) {
	gone := map[string][]int{} // lines removed and not yet matched, by their text
	for start := 0; start < len(lines); {
		end := start
		for end < len(lines) && (lines[end].Op == '-' || lines[end].Op == '+') {
			end++
		}
		if end == start {
			start++
			continue
		}
		c.WhiteSpace += pairInside(lines[start:end])
		start = end
	}
	for i, line := range lines {
		switch line.Op {
		case '-':
			c.Go++
			if key := strings.TrimSpace(line.Text); !line.IsDim && isTelling(key) {
				gone[key] = append(gone[key], i)
			}
		case '+':
			c.Come++
		}
	}
	for i := range lines {
		key := strings.TrimSpace(lines[i].Text)
		if from := gone[key]; lines[i].Op == '+' && !lines[i].IsDim && len(from) > 0 {
			gone[key] = from[1:]
			for _, at := range []int{i, from[0]} {
				lines[at].IsDim, lines[at].From, lines[at].To = true, 0, 0
			}
			c.Moved++
		}
	}
	return c
}

// isTelling reports whether a line is more than a bracket, so that it can have moved.
func isTelling(line string) bool {
	letters := 0
	for _, r := range line {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			letters++
		}
	}
	return letters >= 4
}

// pairInside pairs the lines that go with those that come, within one change. It returns
// how many differ only in white space.
func pairInside(lines []Line) (whiteSpace int) {
	removed := map[string][]int{}
	var left, right []int
	for i, line := range lines {
		if line.Op == '-' {
			key := withoutBlanks(line.Text)
			removed[key] = append(removed[key], i)
		}
	}
	for i := range lines {
		if lines[i].Op != '+' {
			continue
		}
		key := withoutBlanks(lines[i].Text)
		if from := removed[key]; key != "" && len(from) > 0 {
			removed[key] = from[1:]
			lines[i].IsDim, lines[from[0]].IsDim = true, true
			whiteSpace++
			continue
		}
		right = append(right, i)
	}
	for i, line := range lines {
		if line.Op == '-' && !line.IsDim {
			left = append(left, i)
		}
	}
	for n := range min(len(left), len(right)) {
		markInside(&lines[left[n]], &lines[right[n]])
	}
	return whiteSpace
}

func withoutBlanks(text string) string {
	if !strings.ContainsAny(text, " \t\r") {
		return text
	}
	return strings.Map(func(r rune) rune {
		if r == ' ' || r == '\t' || r == '\r' {
			return -1
		}
		return r
	}, text)
}

// markInside marks what differs between two lines that have enough in common.
func markInside(a, b *Line) {
	head, shorter := 0, min(len(a.Text), len(b.Text))
	for head < shorter && a.Text[head] == b.Text[head] {
		head++
	}
	tail := 0
	for tail < shorter-head && a.Text[len(a.Text)-1-tail] == b.Text[len(b.Text)-1-tail] {
		tail++
	}
	for head > 0 && isWord(a.Text[head-1]) { // whole words, and so whole characters
		head--
	}
	for tail > 0 && isWord(a.Text[len(a.Text)-tail]) {
		tail--
	}
	if (head+tail)*3 < shorter || head+tail == 0 {
		return
	}
	a.From, a.To = head, len(a.Text)-tail
	b.From, b.To = head, len(b.Text)-tail
}

// isUnified reports whether the beginning of a text is that of a unified diff.
func isUnified(lines []string) bool {
	files := false
	for i, line := range lines {
		if _, _, ok := hunk(line); ok && (files || i == 0) {
			return true
		}
		files = files || strings.HasPrefix(line, "+++ ") && i > 0 && strings.HasPrefix(lines[i-1], "--- ")
	}
	return false
}

// hunk reads how many lines of before and after follow "@@ -1,7 +1,9 @@".
func hunk(line string) (before, after int, ok bool) {
	rest, found := strings.CutPrefix(line, "@@ -")
	if !found {
		return 0, 0, false
	}
	old, rest, found := strings.Cut(rest, " +")
	if !found {
		return 0, 0, false
	}
	changed, _, found := strings.Cut(rest, " @@")
	if !found {
		return 0, 0, false
	}
	before, ok = hunkLength(old)
	if !ok {
		return 0, 0, false
	}
	after, ok = hunkLength(changed)
	return before, after, ok
}

func hunkLength(text string) (int, bool) {
	_, length, found := strings.Cut(text, ",")
	if !found {
		length = "1"
	}
	n, err := strconv.Atoi(length)
	return n, err == nil && n >= 0
}

// unifiedLines splits a unified diff. The sign of a line goes into Op. A line outside of
// what a hunk announces keeps its text.
func unifiedLines(text string) []Line {
	var lines []Line
	before, after := 0, 0
	for line := range strings.SplitSeq(text, "\n") {
		sign := byte('@')
		if line != "" && (before > 0 || after > 0) {
			sign = line[0]
		}
		switch {
		case sign == ' ' && before > 0 && after > 0:
			before, after = before-1, after-1
		case sign == '-' && before > 0:
			before--
		case sign == '+' && after > 0:
			after--
		default:
			if line == "" { // some programs cut the blank of an empty line
				before, after = max(0, before-1), max(0, after-1)
			} else if b, a, ok := hunk(line); ok {
				before, after = b, a
			}
			lines = append(lines, Line{Op: '@', Text: line})
			continue
		}
		lines = append(lines, Line{Op: sign, Text: line[1:]})
	}
	return lines
}
