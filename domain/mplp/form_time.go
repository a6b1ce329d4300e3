package mplp

import (
	"regexp"
	"strings"
	"time"
)

// dateTimeShape is the date-time of RFC 3339, section 5.6, without the length of
// months.
var dateTimeShape = regexp.MustCompile(
	`^\d{4}-\d{2}-\d{2}[Tt]([01]\d|2[0-3]):[0-5]\d:([0-5]\d|60)(\.\d+)?([Zz]|[+-]([01]\d|2[0-3]):[0-5]\d)$`)

// isDateTime requires a zone, unlike parseTime, and accepts leap seconds, unlike
// time.Parse, in the last minute of a UTC day.
func isDateTime(text string) bool {
	parts := dateTimeShape.FindStringSubmatch(text)
	if parts == nil {
		return false
	}
	text = strings.ToUpper(text)
	leap := parts[2] == "60"
	if leap {
		text = strings.Replace(text, ":60", ":59", 1)
	}
	t, err := time.Parse(time.RFC3339, text)
	t = t.UTC()
	return err == nil && (!leap || t.Hour() == 23 && t.Minute() == 59)
}
