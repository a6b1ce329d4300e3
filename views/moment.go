package views

import (
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
	var m markup
	m.ago(t, now)
	return Moment{ISO: iso(t), Text: string(m.made)}
}

func (m *markup) ago(t, now time.Time) {
	d := now.Sub(t)
	if d < 5*time.Second {
		m.html("just now")
		return
	}
	m.span(d)
	m.html(" ago")
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
	var m markup
	m.left(t.Sub(now))
	return Deadline{ISO: iso(t), Text: string(m.made), Urgency: urgency(t.Sub(now))}
}

func urgency(left time.Duration) Urgency {
	switch {
	case left <= 0:
		return Expired
	case left < 10*time.Second:
		return Critical
	case left < time.Minute:
		return Soon
	}
	return Calm
}

func (m *markup) left(d time.Duration) {
	if d <= 0 {
		m.html("expired")
		return
	}
	m.span(d)
	m.html(" left")
}

// Span words a duration with its two largest units, rounded down, so that a
// countdown never promises time that is not there.
func Span(d time.Duration) string {
	var m markup
	m.span(d)
	return string(m.made)
}

func (m *markup) span(d time.Duration) {
	s := int64(max(d, 0) / time.Second)
	switch {
	case s < 60:
		m.number(s)
		m.html(" s")
	case s < 3600:
		m.two(s/60, " min", s%60, " s")
	case s < 86400:
		m.two(s/3600, " h", s%3600/60, " min")
	default:
		m.two(s/86400, " d", s%86400/3600, " h")
	}
}

func (m *markup) two(a int64, unit string, b int64, small string) {
	m.number(a)
	m.html(unit)
	if b != 0 {
		m.html(" ")
		m.number(b)
		m.html(small)
	}
}

func iso(t time.Time) string {
	return t.UTC().Format("2006-01-02T15:04:05.000Z")
}

func moment(t Moment) templ.Component { return drawn(func(m *markup) { m.moment(t, "data-local") }) }

func age(t Moment) templ.Component { return drawn(func(m *markup) { m.moment(t, "data-age") }) }

// moment carries the attribute that tells the script how to word it.
func (m *markup) moment(t Moment, attribute string) {
	if t.ISO == "" {
		return
	}
	m.html(`<time datetime="`, t.ISO, `" `, attribute, `>`)
	m.text(t.Text)
	m.html(`</time>`)
}

// passing is the age of t, in a gap.
func (m *markup) passing(t time.Time) {
	m.html(`<time datetime="`, iso(t), `" data-age>`)
	m.later(func(m *markup, now time.Time) { m.ago(t, now) })
	m.html(`</time>`)
}

// countdown words the time left; the script keeps it current.
func countdown(d Deadline) templ.Component { return drawn(func(m *markup) { m.countdown(d) }) }

func (m *markup) countdown(d Deadline) {
	if d.ISO == "" {
		m.html(`<span class="countdown calm">no deadline</span>`)
		return
	}
	m.html(`<time class="countdown `, string(d.Urgency), `" datetime="`, d.ISO, `" data-deadline>`)
	m.text(d.Text)
	m.html(`</time>`)
}

// running is the countdown to t, in gaps.
func (m *markup) running(t time.Time) {
	if t.IsZero() {
		m.countdown(Deadline{})
		return
	}
	m.html(`<time class="countdown `)
	m.later(func(m *markup, now time.Time) { m.html(string(urgency(t.Sub(now)))) })
	m.html(`" datetime="`, iso(t), `" data-deadline>`)
	m.later(func(m *markup, now time.Time) { m.left(t.Sub(now)) })
	m.html(`</time>`)
}
