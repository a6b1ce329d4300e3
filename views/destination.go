package views

// DestinationsView is GET /destinations.
type DestinationsView struct {
	Notice *Notice
	Rows   []DestinationRow
	NewURL string // set if the reader may
}

// DestinationRow is a destination in a list.
type DestinationRow struct {
	URL     string
	Name    string
	Format  string // in words
	Host    string
	Events  []string
	Status  string
	Waiting int
	Sent    Moment // an age; zero: nothing yet
}

// DestinationView is GET /destinations/new and GET /destinations/{id}. It is posted to
// Action: name, format, address, type (repeated), target (repeated), roles, key, details.
type DestinationView struct {
	DestinationRow
	ID          string // empty: a new one
	Action      string
	MayEdit     bool
	Notice      *Notice
	Errors      Errors // name, format, address, type, target, roles, key, details
	Secret      string // the key that signs, shown once
	SecretIsNew bool   // an old one signs beside it
	Address     string // as typed; it is never shown again
	Formats     []Option
	Types       []Option // about requests
	OtherTypes  []Option
	Targets     []Option
	Details     []Option
	Roles       string // names, separated by commas
	Key         string
	Failing     Moment // since when; zero: it answers
	Explanation string // why it is not told
	LogURL      string // what was sent
	TestURL     string
	RotateURL   string
	EnableURL   string
	DisableURL  string
	DeleteURL   string
}
