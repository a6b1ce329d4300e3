package views

import (
	"cmp"
	"strings"
	"unicode/utf8"
)

// headingLength is how many characters of a reason a heading takes: two lines
// on a small screen. The reason itself stands whole on the confirm's page.
const headingLength = 90

// Heading names a confirm that calls no tool: by the title of the plan or
// context that it is about, or else by how its reason begins. Both stand in
// quotation marks because an agent says so. An id, often one that the server made up,
// tells nobody what is asked.
func Heading(title, reason, targetType string) string {
	switch {
	case title != "":
		title = quoted(title)
	case strings.TrimSpace(reason) != "":
		title = quoted(firstLine(reason))
	}
	return cmp.Or(title, "Confirm for "+targetType)
}

// SaysAll reports whether a heading has the whole reason, so that a list need
// not repeat it.
func SaysAll(heading, reason string) bool { return heading == quoted(reason) }

func quoted(text string) string { return "“" + text + "”" }

// firstLine is a text's first line that is not empty, up to a word's end.
func firstLine(text string) string {
	line, _, more := strings.Cut(strings.TrimSpace(text), "\n")
	line = strings.TrimSpace(line)
	if letters := []rune(line); len(letters) > headingLength {
		line, more = string(letters[:headingLength]), true
		if end := strings.LastIndexByte(line, ' '); end > 0 {
			line = line[:end]
		}
	}
	if more {
		line += " …"
	}
	return line
}

// longHeading is from how many characters on a heading is written smaller: what
// an agent writes there must not push the decision away.
const longHeading = 160

// headingClass is the class of a heading with these texts.
func headingClass(texts ...string) string {
	length := 0
	for _, text := range texts {
		length += utf8.RuneCountInString(text)
	}
	if length > longHeading {
		return "long"
	}
	return ""
}
