package views

// RoleChoice is the part of a form that gives roles away: fields role (repeated).
// The button find=role brings the form back with the roles that have find_role in
// their names, and leaves the rest as it is.
type RoleChoice struct {
	Given []Option // those held or ticked already, always all of them
	Found []Option // others, by name
	// Searchable says that there are more roles than the form lists, and More that
	// there are more than it has found.
	Searchable, More bool
	Name             string // part of the names that were searched for
}

// NameSearch is the search of a list that goes on page by page.
type NameSearch struct {
	Action string // the list's address
	Label  string // what is searched, such as "Name"
	Words  string // part of the names that were searched for
}
