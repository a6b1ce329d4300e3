package views

// RoleChoice is the part of a form that assigns roles: field role (repeated). The
// button find=role shows the form again with the roles whose names contain
// find_role, and keeps the rest.
type RoleChoice struct {
	Given []Option // all that are held or ticked
	Found []Option // others, by name
	// Searchable says that there are more roles than the form lists. More says that
	// there are more than it has found.
	Searchable, More bool
	Name             string // part of the names that were searched for
}

// NameSearch is the search field of a list with pages.
type NameSearch struct {
	Action string // the list's address
	Label  string // what is searched, such as "Name"
	Words  string // part of the names that were searched for
}
