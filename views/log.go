package views

// LogView is GET /log: entries, newest first.
type LogView struct {
	Self     string
	Types    []Option // filter: query type
	Rows     []LogRow
	NextURL  string // older ones
	FirstURL string
}

// LogRow is one entry.
type LogRow struct {
	Sequence  string
	At        Moment
	Type      string // confirm.approved, role.modified …
	Principal string
	Kind      string // user, agent, system
	Role      string
	Cause     string
	Object    Link
	Detail    string // one line more, may be empty
	TraceID   string
}
