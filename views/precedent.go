package views

// Precedent is an action of another request that an action is compared with.
type Precedent struct {
	Number        int  // of the action, from 1
	Request       Link // the other request
	IsReplaced    bool // it is what the action replaces, and not only the last one of its kind
	Status, Cause string
	By            string // who decided
	Reason        string // their words
	At            Moment
	Before, After string // arguments as JSON
}
