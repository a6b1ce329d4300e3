package mplp

// Role is a role as it is posted. The syntax of capabilities is checked by
// package domain.
type Role struct {
	ID, Name, Description string
	Capabilities          []string
	CapabilitiesSent      bool
	CreatedAt, UpdatedAt  string // as RenderTime writes them
	Locked                bool   // governance.locked
	Trace                 *Trace
	Native                *Object // as sent, without "$comment"
	Warnings              []Warning
}

// ParseRole reads a posted role. Errors are *SyntaxError or *Invalid.
func ParseRole(data []byte, l Limits) (*Role, error) { panic("not yet") }
