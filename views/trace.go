package views

// TraceView is GET /traces/{id}: the log of a trace on one time line, and the
// object as it was posted.
type TraceView struct {
	Self     string
	ID       string
	Status   string // of the posted object, may be empty
	Posted   string // the posted object's JSON, empty if there is none
	Plan     Link
	Lanes    []TraceLane
	Ticks    []string // marks of the time axis
	Rows     []LogRow
	MoreURL  string // the log, if it has more
	Duration string
}

// TraceLane is one bar of the time line: the execution of a step, or a request until
// its decision.
type TraceLane struct {
	Kind   string // "span" or "confirm"
	Label  Link
	Status string
	Detail string // who decided, why it failed
	Start  Moment
	Took   string // empty while it goes on
	X, W   int    // in thousandths of the time line
}
