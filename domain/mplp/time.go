package mplp

import "time"

// RenderTime gives a time as the wire forms write it: RFC 3339 in UTC with
// milliseconds.
func RenderTime(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000Z") }
