package finding

import (
	"fmt"
	"strings"
	"unicode"

	"countersign/domain/reading"
)

const (
	manyBlanks   = 40  // within a line
	manyLineEnds = 5   // one after the other
	farBlanks    = 200 // at the start of a line: no code is indented as far
)

// findBlanks reports text that goes on where a reader takes it for ended.
func findBlanks(r *Request, report func(Finding)) {
	eachString(r, func(action int, v reading.Value) {
		say := func(says string, at int) {
			report(Finding{Kind: "blanks", Level: Stop, Action: action, Pointer: v.Pointer, Says: says, Here: shortened(v.Text[at:])})
		}
		if blanks, at := gapIn(v.Text); at >= 0 {
			say(fmt.Sprintf("The text goes on after %d blanks", blanks), at)
		} else if ends, at := emptyLinesIn(v.Text); at >= 0 {
			say(fmt.Sprintf("The text goes on after %d line ends", ends), at)
		}
	})
}

// gapIn returns the longest gap within a line and where the text goes on, or -1.
// Indentation is none, and neither are columns.
func gapIn(text string) (blanks, at int) {
	at = -1
	isOneLine := !strings.Contains(strings.TrimSpace(text), "\n")
	start, before := 0, "" // the line before
	for line := range strings.Lines(text) {
		run, column, seen := 0, 0, false
		var starts map[int]bool                                  // columns at which words of the lines around start
		isRow := strings.HasPrefix(strings.TrimSpace(line), "|") // of a table in Markdown
		for i, r := range line {
			if unicode.IsSpace(r) {
				run++
				column++
				continue
			}
			limit := manyBlanks
			if !seen && !isOneLine {
				limit = farBlanks
			}
			if run >= limit && run > blanks && !(isRow && r == '|' && run < farBlanks) {
				if starts == nil {
					starts = map[int]bool{}
					after, _, _ := strings.Cut(text[start+len(line):], "\n")
					addStarts(starts, before)
					addStarts(starts, after)
				}
				if run >= farBlanks || !starts[column] {
					blanks, at = run, start+i
				}
			}
			run, seen = 0, true
			column++
		}
		start += len(line)
		before = line
	}
	return blanks, at
}

// addStarts notes the columns at which words of a line start, as in a table.
func addStarts(starts map[int]bool, line string) {
	column, blank := 0, false
	for _, r := range line {
		if blank && !unicode.IsSpace(r) {
			starts[column] = true
		}
		blank = unicode.IsSpace(r)
		column++
	}
}

// emptyLinesIn returns the first run of line ends and where the text goes on, or -1.
func emptyLinesIn(text string) (ends, at int) {
	for i, r := range text {
		switch {
		case r == '\n':
			ends++
		case !unicode.IsSpace(r):
			if ends >= manyLineEnds {
				return ends, i
			}
			ends = 0
		}
	}
	return 0, -1
}
