package views

// LogView is GET /log: entries, newest first.
type LogView struct {
	Families []Option // filter: query family
	Types    []Option // filter: query type
	IDs      []Field  // filters by id: confirm_id, plan_id, trace_id
	Rows     []LogRow
	NextURL  string // older ones
	FirstURL string
	Active   bool // a filter is set
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
	Called    string // title of the request, if the user may see it
	Detail    string // another line; may be empty
	Trace     Link
}

// Field is a text field of a filter.
type Field struct{ Name, Label, Value string }
