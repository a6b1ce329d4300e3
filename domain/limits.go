package domain

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"countersign/domain/mplp"
)

// Limits bounds what one server accepts. DefaultLimits is DESIGN's table.
type Limits struct {
	Body     int // bytes of a JSON body
	PlanBody int // bytes of a plan
	Depth    int // nesting of JSON
	Number   int // characters of a number literal
	Actions  int // actions of a confirm
	Steps    int // steps of a plan
	Edges    int // dependencies of a plan
	Events   int // events that an object brings along
	Title    int // bytes of a title, a tool's name, a role's label and other short texts
	// Description bounds an objective and a summary too, in bytes.
	Description int
	Drawn       int // steps drawn as a graph
	Pending     int // pending confirms per key
	Waits       int // waits and streams per key
	AllWaits    int // waits and streams of the server
	Creates     int // objects posted or changed per key and second, in the long run
	Burst       int // objects posted or changed per key at once
}

// DefaultLimits returns the limits of a server that was not told otherwise.
func DefaultLimits() Limits {
	wire := mplp.DefaultLimits
	return Limits{
		Body: 256 << 10, PlanBody: 4 << 20, Depth: wire.Depth, Number: wire.NumberLen, Actions: wire.Actions,
		Steps: wire.Steps, Edges: wire.Edges, Events: wire.Events, Title: wire.Title, Description: wire.Description, Drawn: 500, Pending: 1_000, Waits: 1_000, AllWaits: 50_000,
		Creates: 50, Burst: 500,
	}
}

// Deadlines of confirms, in whole seconds (requirements A-11b).
const (
	DefaultTimeout = 300
	MaxTimeout     = mplp.MaxTimeout
)

// MaxExcerpt is how many characters a list has of a text, and MaxPageBytes about
// how many bytes of objects a page of a list has.
const (
	MaxExcerpt   = 300
	MaxPageBytes = 1 << 20
)

// MaxWait is how long a caller may wait for an outcome in one request.
const MaxWait = 60 * time.Second

// limit is one of the limits and its name on the command line.
type limit struct {
	name  string
	value *int
}

func (l *Limits) all() []limit {
	return []limit{
		{"body", &l.Body}, {"plan_body", &l.PlanBody}, {"depth", &l.Depth}, {"number", &l.Number}, {"actions", &l.Actions},
		{"steps", &l.Steps}, {"edges", &l.Edges}, {"events", &l.Events},
		{"title", &l.Title}, {"description", &l.Description}, {"drawn", &l.Drawn},
		{"pending", &l.Pending}, {"waits", &l.Waits}, {"all_waits", &l.AllWaits}, {"creates", &l.Creates}, {"burst", &l.Burst},
	}
}

// String lists the limits as Parse reads them.
func (l Limits) String() string {
	var pairs []string
	for _, limit := range l.all() {
		pairs = append(pairs, fmt.Sprintf("%s=%d", limit.name, *limit.value))
	}
	return strings.Join(pairs, ",")
}

// Parse sets limits from "name=value,…", as the command line has them.
func (l Limits) Parse(text string) (Limits, error) {
	limits := l.all()
	for pair := range strings.SplitSeq(text, ",") {
		if pair == "" {
			continue
		}
		name, value, _ := strings.Cut(pair, "=")
		i := slices.IndexFunc(limits, func(limit limit) bool { return limit.name == name })
		if i < 0 {
			return l, fmt.Errorf("there is no limit %q; there are %s", name, DefaultLimits())
		}
		n, err := strconv.Atoi(value)
		if err != nil || n < 1 {
			return l, fmt.Errorf("limit %s: %q is not a whole number above 0", name, value)
		}
		*limits[i].value = n
	}
	return l, nil
}

// Wire gives the limits that reading a JSON document needs.
func (l Limits) Wire() mplp.Limits {
	return mplp.Limits{Depth: l.Depth, NumberLen: l.Number, Actions: l.Actions, Steps: l.Steps, Edges: l.Edges, Events: l.Events,
		Title: l.Title, Description: l.Description}
}
