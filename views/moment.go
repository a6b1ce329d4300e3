package views

import (
	"strconv"
	"time"

	"github.com/a-h/templ"
)

// Moment is a point in time: for machines and as the server words it. The
// script replaces Text by the reader's local time, or keeps an age current.
type Moment struct {
	ISO  string // RFC 3339, UTC, milliseconds
	Text string
}

// At words t as UTC date and time.
func At(t time.Time) Moment {
	if t.IsZero() {
		return Moment{}
	}
	t = t.UTC()
	return Moment{ISO: iso(t), Text: t.Format("2 Jan 2006, 15:04:05 UTC")}
}

// Ago words how long before now t was.
func Ago(t, now time.Time) Moment {
	if t.IsZero() {
		return Moment{}
	}
	d := now.Sub(t)
	if d < 5*time.Second {
		return Moment{ISO: iso(t), Text: "just now"}
	}
	return Moment{ISO: iso(t), Text: Span(d) + " ago"}
}

// Urgency says how near a deadline is.
type Urgency string

// The urgencies; the script moves a deadline from one to the next.
const (
	Calm     Urgency = "calm"
	Soon     Urgency = "soon"     // under 60 s
	Critical Urgency = "critical" // under 10 s
	Expired  Urgency = "expired"
)

// Deadline is when a pending confirm expires. The zero value means never.
type Deadline struct {
	ISO     string
	Text    string // "4 min 12 s left", "expired"
	Urgency Urgency
}

// Until words the time from now to t; a zero t gives the zero Deadline.
func Until(t, now time.Time) Deadline {
	if t.IsZero() {
		return Deadline{}
	}
	left := t.Sub(now)
	switch {
	case left <= 0:
		return Deadline{ISO: iso(t), Text: "expired", Urgency: Expired}
	case left < 10*time.Second:
		return Deadline{ISO: iso(t), Text: Span(left) + " left", Urgency: Critical}
	case left < time.Minute:
		return Deadline{ISO: iso(t), Text: Span(left) + " left", Urgency: Soon}
	}
	return Deadline{ISO: iso(t), Text: Span(left) + " left", Urgency: Calm}
}

// Span words a duration with its two largest units, rounded down, so that a
// countdown never promises time that is not there.
func Span(d time.Duration) string {
	s := int64(max(d, 0) / time.Second)
	switch {
	case s < 60:
		return strconv.FormatInt(s, 10) + " s"
	case s < 3600:
		return two(s/60, "min", s%60, "s")
	case s < 86400:
		return two(s/3600, "h", s%3600/60, "min")
	}
	return two(s/86400, "d", s%86400/3600, "h")
}

func two(a int64, unit string, b int64, small string) string {
	if b == 0 {
		return strconv.FormatInt(a, 10) + " " + unit
	}
	return strconv.FormatInt(a, 10) + " " + unit + " " + strconv.FormatInt(b, 10) + " " + small
}

func iso(t time.Time) string {
	return t.UTC().Format("2006-01-02T15:04:05.000Z")
}

func moment(m Moment) templ.Component { return drawn(func(to *markup) { to.moment(m, "data-local") }) }

func age(m Moment) templ.Component { return drawn(func(to *markup) { to.moment(m, "data-age") }) }

// moment carries the attribute that tells the script how to word it.
func (m *markup) moment(t Moment, attribute string) {
	if t.ISO == "" {
		return
	}
	m.html(`<time datetime="`, t.ISO, `" `, attribute, `>`)
	m.text(t.Text)
	m.html(`</time>`)
}

// countdown words the time left; the script keeps it current.
func countdown(d Deadline) templ.Component { return drawn(func(m *markup) { m.countdown(d) }) }

func (m *markup) countdown(d Deadline) {
	if d.ISO == "" {
		m.html(`<span class="countdown calm">no deadline</span>`)
		return
	}
	m.html(`<time class="countdown `, string(d.Urgency), `" datetime="`, d.ISO, `" data-deadline="`, d.ISO, `">`)
	m.text(d.Text)
	m.html(`</time>`)
}
