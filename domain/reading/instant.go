package reading

import (
	"errors"
	"strconv"
	"time"
)

var errNoInstant = errors.New("no time")

// moment is a time that was read from a value.
type moment struct {
	at      time.Time
	hasZone bool
	isDate  bool // no hours
}

// ParseTime reads a time as RFC 3339 writes it, also without hours or without a zone.
// Without a zone it is taken as UTC, and hasZone is false.
func ParseTime(text string) (at time.Time, hasZone bool, err error) {
	m, err := parseInstant(text)
	return m.at, m.hasZone, err
}

func parseInstant(text string) (moment, error) {
	if len(text) < 10 || len(text) > 40 || text[4] != '-' || text[7] != '-' {
		return moment{}, errNoInstant
	}
	if at, err := time.Parse(time.DateOnly, text); err == nil {
		return moment{at: at, isDate: true}, nil
	}
	for _, layout := range []string{time.RFC3339, "2006-01-02 15:04:05Z07:00", "2006-01-02T15:04Z07:00", "2006-01-02T15:04:05Z0700", "2006-01-02 15:04:05 Z07:00", "2006-01-02 15:04:05 Z0700"} {
		if at, err := time.Parse(layout, text); err == nil {
			return moment{at: at, hasZone: true}, nil
		}
	}
	for _, layout := range []string{"2006-01-02T15:04:05", "2006-01-02 15:04:05", "2006-01-02T15:04", "2006-01-02 15:04"} {
		if at, err := time.Parse(layout, text); err == nil {
			return moment{at: at}, nil
		}
	}
	return moment{}, errNoInstant
}

// isInstantNumber reports whether a number is seconds or milliseconds since 1970.
func isInstantNumber(name []string, text string) bool {
	return hasWord(name, instantNames) && parseEpoch(text) != time.Time{}
}

// parseEpoch reads seconds or milliseconds since 1970, of 2001 to 2096.
func parseEpoch(text string) time.Time {
	n, err := strconv.ParseInt(text, 10, 64)
	switch {
	case err != nil:
	case n >= 1e9 && n < 4e9:
		return time.Unix(n, 0).UTC()
	case n >= 1e12 && n < 4e12:
		return time.UnixMilli(n).UTC()
	}
	return time.Time{}
}
