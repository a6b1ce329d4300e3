package finding

import (
	"strings"
	"unicode"

	"countersign/domain/reading"
)

const (
	fewChanges = 6  // a smaller change is read line by line
	mostBlank  = 80 // per cent
)

// pairs are names of two members that hold a text before and after.
var pairs = [][2]string{{"old", "new"}, {"before", "after"}, {"old_string", "new_string"}, {"old_text", "new_text"}, {"old_content", "new_content"}, {"original", "modified"}, {"oldText", "newText"}}

// conditions are words of a line that lets something happen or not.
var conditions = setOf("if unless when while assert require requires verify validate check ensure guard authorize throw raise abort where allow deny must forbid")

// findDiffs reports lines that a change removes between many that it only indents.
func findDiffs(r *Request, report func(Finding)) {
	say := func(action int, pointer string, c lineChange) {
		lost, level, says := c.lost()
		if lost == "" {
			lost = c.goneCheck(r.Reason)
			level, says = Look, "A check is removed, and the reason does not say so"
		}
		if lost != "" {
			report(Finding{Kind: "diff", Level: level, Action: action, Pointer: pointer, Says: says, Here: shortened(lost)})
		}
	}
	eachString(r, func(action int, v reading.Value) {
		if strings.HasPrefix(v.Text, "@@ ") || strings.Contains(v.Text, "\n@@ ") || strings.Contains(v.Text, "\n+++ ") {
			say(action, v.Pointer, changeIn(v.Text))
		}
	})
	for i := range r.Actions {
		eachValue(r.Actions[i].Args, func(v reading.Value) {
			if v.Type != reading.Object || len(v.Items) > 50 {
				return
			}
			for _, pair := range pairs {
				before, _ := v.Member(pair[0])
				after, _ := v.Member(pair[1])
				if before.Type == reading.String && after.Type == reading.String && len(before.Text)+len(after.Text) <= maxText {
					say(i, after.Pointer, changeBetween(before.Text, after.Text))
				}
			}
		})
	}
}

// A lineChange is the lines that go and come.
type lineChange struct{ removed, added []string }

// changeIn reads a unified diff.
func changeIn(diff string) lineChange {
	var c lineChange
	for line := range strings.Lines(diff) {
		switch line = strings.TrimRight(line, "\r\n"); {
		case strings.HasPrefix(line, "--- "), strings.HasPrefix(line, "+++ "):
		case strings.HasPrefix(line, "-"):
			c.removed = append(c.removed, line[1:])
		case strings.HasPrefix(line, "+"):
			c.added = append(c.added, line[1:])
		}
	}
	return c
}

// changeBetween compares the lines of two texts without regard to their order.
func changeBetween(before, after string) lineChange {
	count := map[string]int{}
	for line := range strings.Lines(after) {
		count[strings.TrimRight(line, "\r\n")]++
	}
	var c lineChange
	for line := range strings.Lines(before) {
		line = strings.TrimRight(line, "\r\n")
		if count[line]--; count[line] < 0 {
			c.removed = append(c.removed, line)
		}
	}
	for line := range strings.Lines(after) {
		if line = strings.TrimRight(line, "\r\n"); count[line] > 0 {
			count[line]--
			c.added = append(c.added, line)
		}
	}
	return c
}

// lost returns the gravest line that goes for good, if nearly all others only change
// their white space or place.
func (c lineChange) lost() (line string, level Level, says string) {
	came := map[string]int{}
	for _, added := range c.added {
		came[solid(added)]++
	}
	blank, total := 0, len(c.removed)+len(c.added)
	var gone []string
	for _, removed := range c.removed {
		text := solid(removed)
		switch {
		case came[text] > 0:
			came[text]--
			blank += 2
		case text == "":
			blank++
		default:
			gone = append(gone, strings.TrimSpace(removed))
		}
	}
	blank += max(came[""], 0)
	if total < fewChanges || blank*100 < total*mostBlank || len(gone) == 0 {
		return "", "", ""
	}
	for _, text := range gone {
		if hasCondition(text) {
			return text, Stop, "A condition is removed between lines that only change their white space"
		}
	}
	return gone[0], Look, "A line is removed between lines that only change their white space"
}

// solid returns a line without its white space.
func solid(line string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) {
			return -1
		}
		return r
	}, line)
}

// hasCondition reports whether a line of code decides something. A comment does not.
func hasCondition(line string) bool {
	for _, comment := range []string{"//", "#", "--", "/*", "*", "<!--"} {
		if strings.HasPrefix(line, comment) {
			return false
		}
	}
	for _, word := range wordsOf(line[:min(len(line), 100)]) {
		if conditions[word] {
			return true
		}
	}
	return strings.Contains(line, "&&") || strings.Contains(line, "||") || strings.Contains(line, "==") || strings.Contains(line, "!=")
}
