package views

// RolesView is GET /roles.
type RolesView struct {
	Self              string
	Rows              []RoleRow
	Search            *NameSearch // set if there are more roles than one page shows
	NextURL, FirstURL string
	NewURL            string // set if the user may create roles
	Notice            *Notice
}

// RoleRow is one role of the list.
type RoleRow struct {
	URL, Name, Description string
	Capabilities           []string
	Users, Keys            int
	Locked                 bool
}

// RoleView is GET /roles/new and /roles/{id}. Fields: name, description,
// capabilities (one per line), locked=1. Delete posts to DeleteURL.
type RoleView struct {
	ID               string // empty for a new one
	Action           string // where the form is posted
	MayEdit          bool
	Missing          string // the capability that is missing, if not
	Name             string
	Description      string
	Capabilities     string            // one per line, as typed
	Known            []CapabilityGroup // suggestions
	Uses             []RoleUse
	Locked           bool   // as stored
	Lock             bool   // the check box, as sent
	DeleteURL        string // set if it may be deleted
	DeleteHint       string // why not, otherwise
	Created, Updated Moment
	Notice           *Notice
	Errors           Errors // name, description, capabilities: with line and position
}

// CapabilityGroup lists the known capabilities of one resource.
type CapabilityGroup struct {
	Resource     string
	Capabilities []string
}

// RoleUse is one kind of place where a role is used.
type RoleUse struct {
	Label string // "Users", "Keys", "Pending requests", "Plan steps"
	Links []Link
	More  int // how many are not listed
}
