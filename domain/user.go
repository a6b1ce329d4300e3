package domain

import "time"

// User is a human who signs in.
type User struct {
	ID        string
	Name      string // unique, compared without case
	Password  string // PHC string; empty until the one-time link was used
	Disabled  bool
	Roles     []string // role ids in the order they were given
	CreatedAt time.Time
	UpdatedAt time.Time
}

func (u *User) ref() Ref { return Ref{KindUser, u.ID} }

func (u *User) group() Group { return Group("user:" + u.ID) }

// Session is one browser that is signed in. It is kept in a table that the log
// does not cover: it proves nothing.
type Session struct {
	Hash      []byte // SHA-256 of the cookie's token
	UserID    string
	CreatedAt time.Time
	SeenAt    time.Time
	Browser   string // its User-Agent
}

// Live says whether the session may still be used at this time: it was neither
// idle nor open for too long.
func (s *Session) Live(now time.Time) bool {
	return now.Sub(s.SeenAt) < SessionIdle && now.Sub(s.CreatedAt) < SessionLife
}

// UserFilter narrows a list of users.
type UserFilter struct {
	Name string // a part of it, case folded; empty: any
}

// UserRow is a user as pages show it.
type UserRow struct {
	User
	Held     []*Role   // in the order of Roles; see RoleChoice.Given
	Reset    bool      // there is no password because an administrator voided it
	Sessions int       // that are live
	Keys     []*Key    // that are live; none for readers without key.read
	SeenAt   time.Time // when a session was last used, as far as it is remembered
}

// Link is a one-time link: to set up the first administrator (no UserID), or
// for an invited or reset user to choose a password.
type Link struct {
	Hash      []byte // SHA-256 of the link's token
	UserID    string
	ExpiresAt time.Time
}

// Preferences are what a user chose about the display.
type Preferences struct {
	ShortcutsOff bool
}
