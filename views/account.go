package views

// AccountView is GET /account. The password form posts current, password and
// password_again to /account/password; shortcuts=1 goes to /account/shortcuts.
type AccountView struct {
	Name         string
	Roles        []Link
	Capabilities []string
	Sessions     []SessionRow
	Shortcuts    bool
	Notice       *Notice
	Errors       Errors // current, password, password_again
}

// SessionRow is one of the reader's own sessions.
type SessionRow struct {
	Current bool
	Client  string // browser, as told by it
	Address string
	Started Moment
	Seen    Moment // an age
	EndURL  string // POST
}
