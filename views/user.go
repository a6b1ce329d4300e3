package views

// UsersView is GET /users. The invitation is posted to /users: username, role
// (repeated).
type UsersView struct {
	Rows              []UserRow
	ShowKeys          bool        // the reader may see keys
	Search            *NameSearch // set if there are more users than one page shows
	NextURL, FirstURL string
	Invite            *InviteForm // set if the reader may
	Link              *OneTimeLink
	Notice            *Notice
}

// UserRow is one user of the list.
type UserRow struct {
	URL, Name string
	Roles     []string
	Status    string // active, invited, reset, disabled
	Sessions  int
	Keys      int
	LastSeen  Moment // an age
	Self      bool
}

// InviteForm invites a user.
type InviteForm struct {
	Username string
	Roles    RoleChoice
	Errors   Errors
}

// OneTimeLink is shown once, after an invitation or a reset.
type OneTimeLink struct {
	For     string // user name
	URL     string
	Expires Moment
}

// UserView is GET /users/{id}. Addresses are set if the user may post to them. Roles
// go to RolesURL as role (repeated).
type UserView struct {
	Self                  string
	Name                  string
	Status                string
	IsReader              bool // nobody changes their own roles
	Roles                 RoleChoice
	RolesURL              string
	RolesHint             string // why they cannot be changed
	DisableURL, EnableURL string
	StatusHint            string // why neither is offered
	ResetURL              string
	EndSessionsURL        string
	Sessions              int
	Keys                  []Link
	MoreKeys              int // that are not listed
	Capabilities          []string
	Unknown               bool // there may be more: the user may not read every role
	Created               Moment
	LastSeen              Moment
	Link                  *OneTimeLink
	Notice                *Notice
	Errors                Errors
}
