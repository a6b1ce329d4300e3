package domain

import "time"

// User is a person who signs in.
type User struct {
	ID        string
	Name      string // unique, compared without case
	Password  string // PHC string; empty until the one-time link was used
	Disabled  bool
	Roles     []string // role ids in the order they were given
	CreatedAt time.Time
	UpdatedAt time.Time
	EndedSeq  int64 // number of the log entry that last ended their sessions and links; 0: none has
}

// UserReader reads users and what they chose.
type UserReader interface {
	User(id string) (*User, error)
	UserByName(name string) (*User, error) // case folded
	Users() ([]*User, error)               // by name
	// Voters returns CountVoters of all users and roles. Callers must not change it.
	Voters() (map[string]int, error)
	UserPage(f UserFilter, p Page) (list []*User, next string, err error)
	Preferences(userID string) (Preferences, error) // zero when none were saved
}

// UserWriter writes users. Preferences are not logged.
type UserWriter interface {
	InsertUser(*User) error
	UpdateUser(*User) error // replaces its roles too
	SetPreferences(userID string, p Preferences) error
}

func (u *User) ref() Ref { return Ref{KindUser, u.ID} }

// principal returns the user as a principal who changes something of their own.
func (u *User) principal() *Principal { return &Principal{Ref: u.ref(), Name: u.Name} }

func (u *User) group() Group { return Group("user:" + u.ID) }

// UserFilter narrows a list of users.
type UserFilter struct {
	Name string // a part of it, case folded; empty: any
}

// UserRow is a user as pages show it.
type UserRow struct {
	User
	HeldRoles []*Role   // in the order of Roles; see RoleOptions.Selected
	Reset     bool      // there is no password because an administrator voided it
	Sessions  int       // that are live
	Keys      []*Key    // that are live; none for readers without key.read
	SeenAt    time.Time // when a stored session was last used
}

// Status returns active, disabled, reset or invited.
func (u *UserRow) Status() string {
	switch {
	case u.Disabled:
		return "disabled"
	case u.Reset:
		return "reset"
	case u.Password == "":
		return "invited"
	}
	return "active"
}

// Preferences are what a user chose about the display.
type Preferences struct {
	ShortcutsOff bool
}
