package views

// KeysView is GET /keys. A new key is posted to /keys: name, role (repeated),
// owner, may_decide=1, expires_days.
type KeysView struct {
	Rows              []KeyRow
	Search            *NameSearch // set if there are more keys than one page shows
	NextURL, FirstURL string
	Create            *KeyForm // set if the reader may
	Notice            *Notice
}

// KeyRow is one API key.
type KeyRow struct {
	ID        string // the public part
	Name      string
	Roles     []string
	Owner     Link
	MayDecide bool
	Status    string // active, expired, revoked, owner disabled
	Expires   Moment // zero: never
	LastUsed  Moment // an age; zero: never
	RevokeURL string // POST, set if the reader may
}

// KeyForm creates a key.
type KeyForm struct {
	Name      string
	Roles     RoleChoice
	Owners    []Option // users; the default is none
	Owner     string   // as typed, if there are too many users for a list; Owners is then nil
	MayDecide bool
	Days      string
	Errors    Errors // name, role, owner, may_decide, expires_days
}

// KeyCreatedView shows a new key. It is shown only once.
type KeyCreatedView struct {
	Name    string
	Secret  string
	Roles   []string
	Expires Moment
	BackURL string
	Connect ConnectView
}
