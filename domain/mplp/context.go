package mplp

// Context is a context as it is posted. Every member is optional; Status is ""
// when absent. Domain and Environment come from the member root.
type Context struct {
	ID, Title, Status, OwnerRole, Domain, Environment string
	Locked                                            bool // governance.locked
	Trace                                             *Trace
	Native                                            *Object // as sent, without "$comment"
	Warnings                                          []Warning
}

// ParseContext reads a posted context: only what is there is checked. Errors
// are *SyntaxError or *Invalid.
func ParseContext(data []byte, l Limits) (*Context, error) { panic("not yet") }
