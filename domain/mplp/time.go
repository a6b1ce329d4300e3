package mplp

import (
	"regexp"
	"strings"
	"time"
)

const renderLayout = "2006-01-02T15:04:05.000Z"

// RenderTime writes a time as all JSON has it: RFC 3339 in UTC with milliseconds.
func RenderTime(t time.Time) string { return t.UTC().Format(renderLayout) }

// timeShape is RFC 3339 with an optional zone. time.Parse alone accepts more, such as a
// one-digit hour or a decimal comma.
var timeShape = regexp.MustCompile(`^\d{4}-\d{2}-\d{2}[Tt ]\d{2}:\d{2}:\d{2}(\.\d+)?([Zz]|[+-]\d{2}:\d{2})?$`)

// parseTime reads a date and time. Without a zone it is UTC, and naive is true.
func parseTime(text string) (t time.Time, naive, ok bool) {
	parts := timeShape.FindStringSubmatch(text)
	if parts == nil {
		return time.Time{}, false, false
	}
	naive = parts[2] == ""
	if naive {
		text += "Z"
	}
	text = strings.Replace(strings.ToUpper(text), " ", "T", 1)
	t, err := time.Parse(time.RFC3339, text)
	t = t.UTC()
	// In UTC the year may need more than four digits.
	if err != nil || t.Year() < 0 || t.Year() > 9999 {
		return time.Time{}, false, false
	}
	return t, naive, true
}
