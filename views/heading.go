package views

import (
	"cmp"
	"strings"
	"unicode/utf8"
)

// headingLength is how many characters of a reason a heading shows: two lines on
// a small screen. The page of the request shows the whole reason.
const headingLength = 90

// Heading names a request without actions: by the title of its plan or context, or
// by the start of its reason. Both are in quotation marks because an agent wrote
// them. An id would tell nobody what is requested.
func Heading(title, reason, targetType string) string {
	switch {
	case title != "":
		title = quoted(title)
	case strings.TrimSpace(reason) != "":
		title = quoted(firstLine(reason))
	}
	return cmp.Or(title, requestAbout(targetType))
}

// requestAbout names a request by its target.
func requestAbout(targetType string) string {
	switch targetType {
	case "extension":
		return "Request about an extension"
	case "plan", "context", "trace":
		return "Request about a " + targetType
	}
	return "Request"
}

// SaysAll reports whether a heading contains the whole reason. A list then need
// not repeat it.
func SaysAll(heading, reason string) bool { return heading == quoted(reason) }

func quoted(text string) string { return "“" + text + "”" }

// firstLine returns the first non-empty line, cut at the end of a word.
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

// longHeading is the length above which a heading is smaller. An agent's text must
// not push the decision out of sight.
const longHeading = 160

// headingClass returns the CSS class of a heading with these texts.
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
