package domain

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"countersign/domain/mplp"
)

// Limits bounds what one server accepts.
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
	DrawnSteps  int // steps drawn as a graph
	Pending     int // pending confirms per key
	Waits       int // waits and streams per key
	AllWaits    int // waits and streams of the server
	Creates     int // objects posted or changed per key and second, in the long run
	Burst       int // objects posted or changed per key at once
}

// DefaultLimits returns the limits of a server without other settings.
func DefaultLimits() Limits {
	wire := mplp.DefaultLimits
	return Limits{
		Body: 256 << 10, PlanBody: 4 << 20, Depth: wire.Depth, Number: wire.NumberLen, Actions: wire.Actions,
		Steps: wire.Steps, Edges: wire.Edges, Events: wire.Events, Title: wire.Title, Description: wire.Description, DrawnSteps: 500, Pending: 1_000, Waits: 1_000, AllWaits: 50_000,
		Creates: 50, Burst: 500,
	}
}

// Deadlines of confirms, in seconds.
const (
	DefaultTimeout = 300
	MaxTimeout     = mplp.MaxTimeout
)

// MaxExcerpt is how many characters of a text a list shows. MaxPageBytes is roughly the
// maximum size of the objects on a page of a list.
const (
	MaxExcerpt   = 300
	MaxPageBytes = 1 << 20
)

// MaxWait is how long one call may wait for an outcome.
const MaxWait = 60 * time.Second

// limit is one of the limits with its name on the command line.
type limit struct {
	name  string
	value *int
}

func (l *Limits) all() []limit {
	return []limit{
		{"body", &l.Body}, {"plan_body", &l.PlanBody}, {"depth", &l.Depth}, {"number", &l.Number}, {"actions", &l.Actions},
		{"steps", &l.Steps}, {"edges", &l.Edges}, {"events", &l.Events},
		{"title", &l.Title}, {"description", &l.Description}, {"drawn", &l.DrawnSteps},
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

// Parse sets limits from "name=value,…", as the command line takes them.
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

// MPLP returns the limits for reading a JSON document.
func (l Limits) MPLP() mplp.Limits {
	return mplp.Limits{Depth: l.Depth, NumberLen: l.Number, Actions: l.Actions, Steps: l.Steps, Edges: l.Edges, Events: l.Events,
		Title: l.Title, Description: l.Description}
}
