package views

import (
	"time"

	"github.com/a-h/templ"
)

// Moment is a point in time, for machines and in words. The script replaces Text by
// local time, or keeps an age current.
type Moment struct {
	ISO  string // RFC 3339, UTC, milliseconds
	Text string
}

// At returns t as a date and time in UTC.
func At(t time.Time) Moment {
	if t.IsZero() {
		return Moment{}
	}
	t = t.UTC()
	return Moment{ISO: iso(t), Text: t.Format("2 Jan 2006, 15:04:05 UTC")}
}

// Ago returns t as an age.
func Ago(t, now time.Time) Moment {
	if t.IsZero() {
		return Moment{}
	}
	var m htmlBuffer
	m.ago(t, now)
	return Moment{ISO: iso(t), Text: string(m.buf)}
}

func (m *htmlBuffer) ago(t, now time.Time) {
	d := now.Sub(t)
	if d < 5*time.Second {
		m.html("just now")
		return
	}
	m.span(d)
	m.html(" ago")
}

// Urgency says how close a deadline is.
type Urgency string

// The urgencies. The script moves a deadline from one to the next.
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

// Until returns the time left until t. A zero t gives the zero Deadline.
func Until(t, now time.Time) Deadline {
	if t.IsZero() {
		return Deadline{}
	}
	var m htmlBuffer
	m.timeLeft(t.Sub(now))
	return Deadline{ISO: iso(t), Text: string(m.buf), Urgency: urgency(t.Sub(now))}
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

func (m *htmlBuffer) timeLeft(d time.Duration) {
	if d <= 0 {
		m.html("expired")
		return
	}
	m.span(d)
	m.html(" left")
}

// Span formats a duration with its two largest units. It rounds down, so that a
// countdown never shows more time than is left.
func Span(d time.Duration) string {
	var m htmlBuffer
	m.span(d)
	return string(m.buf)
}

func (m *htmlBuffer) span(d time.Duration) {
	s := int64(max(d, 0) / time.Second)
	switch {
	case s < 60:
		m.number(s)
		m.html(" s")
	case s < 3600:
		m.twoUnits(s/60, " min", s%60, " s")
	case s < 86400:
		m.twoUnits(s/3600, " h", s%3600/60, " min")
	default:
		m.twoUnits(s/86400, " d", s%86400/3600, " h")
	}
}

func (m *htmlBuffer) twoUnits(a int64, unit string, b int64, small string) {
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

func moment(t Moment) templ.Component {
	return component(func(m *htmlBuffer) { m.moment(t, "data-local") })
}

func age(t Moment) templ.Component { return component(func(m *htmlBuffer) { m.moment(t, "data-age") }) }

// moment has the attribute that tells the script how to format it.
func (m *htmlBuffer) moment(t Moment, attribute string) {
	if t.ISO == "" {
		return
	}
	m.html(`<time datetime="`, t.ISO, `" `, attribute, `>`)
	m.text(t.Text)
	m.html(`</time>`)
}

// countdown shows the time left. The script keeps it current.
func countdown(d Deadline) templ.Component { return component(func(m *htmlBuffer) { m.countdown(d) }) }

func (m *htmlBuffer) countdown(d Deadline) {
	if d.ISO == "" {
		m.html(`<span class="countdown calm">no deadline</span>`)
		return
	}
	m.html(`<time class="countdown `, string(d.Urgency), `" datetime="`, d.ISO, `" data-deadline>`)
	m.text(d.Text)
	m.html(`</time>`)
}
