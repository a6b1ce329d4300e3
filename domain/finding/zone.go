package finding

import (
	"cmp"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"countersign/domain/reading"
)

// hours is a time of day in prose, or a span of it, in minutes. A span can pass midnight.
type hours struct {
	raw      string
	from, to int
}

// maxInstants limits the instants that are compared in one request.
const maxInstants = 100

// compareZones finds instants outside the hours that prose states at a place, if none of
// the arguments is within them.
func compareZones(c *comparing) {
	for _, p := range c.passages {
		spans, zones := hoursIn(p.text), zonesIn(p.text)
		if len(spans) == 0 || len(zones) == 0 {
			continue
		}
		var first *argument
		fits := false
		for i, a := range c.arguments(p) {
			if i >= maxInstants {
				break
			}
			at, ok := c.instant(a)
			if !ok {
				continue
			}
			if first == nil {
				first = &a
			}
			for _, zone := range zones {
				local := at.In(zone.location)
				fits = fits || slices.ContainsFunc(spans, func(h hours) bool { return h.has(local.Hour()*60 + local.Minute()) })
			}
		}
		if first != nil && !fits {
			c.say("zone", Look, p, *first, quotedName(first.Pointer)+" is outside the hours in the "+p.where, spans[0].raw+" "+zones[0].name)
		}
	}
}

// has reports whether a minute of the day is within the hours. A single time has to be
// met to the hour: what the zone's mistake moves is more.
func (h hours) has(minute int) bool {
	switch {
	case h.from == h.to:
		distance := (minute - h.from + 1440) % 1440
		return distance < 60 || distance > 1440-60
	case h.from < h.to:
		return minute >= h.from && minute <= h.to
	}
	return minute >= h.from || minute <= h.to
}

var zoneNames = setOf(`timezone tz zone zeitzone`)

// instant returns the instant that an argument names. Without an offset it counts if a
// member beside names the zone.
func (c *comparing) instant(a argument) (time.Time, bool) {
	if a.Type != reading.String || len(a.Text) > 40 || len(a.Text) < 16 {
		return time.Time{}, false
	}
	for _, layout := range []string{time.RFC3339, "2006-01-02T15:04Z07:00", "2006-01-02 15:04:05Z07:00", "2006-01-02T15:04:05Z0700"} {
		if at, err := time.Parse(layout, a.Text); err == nil {
			return at, true
		}
	}
	for _, other := range c.all {
		if other.action != a.action || other.parent != a.parent || !other.hasWord(zoneNames) || len(other.Text) > 40 || other.Text == "Local" {
			continue
		}
		zone, err := time.LoadLocation(other.Text)
		if err != nil || other.Text == "" {
			continue
		}
		for _, layout := range []string{"2006-01-02T15:04:05", "2006-01-02T15:04", "2006-01-02 15:04:05", "2006-01-02 15:04"} {
			if at, err := time.ParseInLocation(layout, a.Text, zone); err == nil {
				return at, true
			}
		}
	}
	return time.Time{}, false
}

// clocks are times of day, also two of them as a span.
var clocks = regexp.MustCompile(`(?i)(?:^|[^\d.,:/+\-\p{Latin}\p{Cyrillic}])(\d{1,2})(?:([:h.])(\d{2}))?[\s\x{a0}]?(am\b|pm\b|a\.m\.|p\.m\.|uhr\b|h\b|o'clock\b|часов|時|点)?` +
	`(?:[\s\x{a0}]?(?:-|–|to|and|until|till|bis|und|à|a|y|et|e|до|から)[\s\x{a0}]?(\d{1,2})(?:([:h.])(\d{2}))?[\s\x{a0}]?(am\b|pm\b|a\.m\.|p\.m\.|uhr\b|h\b|o'clock\b|часов|時|点)?)?`)

// boundaries stand before a time that is a bound, which says too little.
var boundaries = setOf(`before after until till by from since vor nach bis ab avant après dès antes después hasta desde prima dopo до после`)

// hoursIn returns the times of day in prose: "9 am", "14:30", "9 Uhr", "22:00-04:00".
func hoursIn(text []rune) []hours {
	ascii := strings.Map(func(r rune) rune {
		if digit := digitOf(r); digit != 0 {
			return rune(digit)
		}
		return r
	}, string(text))
	var found []hours
	for _, at := range clocks.FindAllStringSubmatchIndex(ascii, 20) {
		group := func(i int) string {
			if at[2*i] < 0 {
				return ""
			}
			return ascii[at[2*i]:at[2*i+1]]
		}
		from, isSure := clock(group(1), group(2), group(3), group(4))
		to, isSpan := clock(group(5), group(6), group(7), group(8))
		if isSpan && !isSure {
			// "9-11 am": the first has the half of the day of the second.
			from, isSure = clock(group(1), group(2), group(3), cmp.Or(group(4), group(8)))
			isSure = isSure || group(2) == ""
		}
		before := strings.Fields(ascii[:at[2]])
		isBound := len(before) > 0 && boundaries[strings.ToLower(before[len(before)-1])]
		switch {
		case !isSure || from < 0 || to < 0:
		case isSpan:
			found = append(found, hours{strings.TrimSpace(ascii[at[2]:at[1]]), from, to})
		case !isBound:
			found = append(found, hours{strings.TrimSpace(ascii[at[2]:max(at[3], at[7], at[9])]), from, from})
		}
	}
	return found
}

// clock reads a time of day, in minutes, or -1. It is sure if it can be nothing else.
func clock(hour, sep, minute, suffix string) (int, bool) {
	h, err := strconv.Atoi(hour)
	if err != nil {
		return 0, false
	}
	m, _ := strconv.Atoi(cmp.Or(minute, "0"))
	switch half := strings.ToLower(cmp.Or(suffix, " ")[:1]); {
	case h > 24 || m > 59 || (half == "a" || half == "p") && h > 12:
		return -1, false
	case half == "a":
		h %= 12
	case half == "p":
		h = h%12 + 12
	}
	return (h*60 + m) % 1440, suffix != "" || sep == ":" || strings.EqualFold(sep, "h")
}
