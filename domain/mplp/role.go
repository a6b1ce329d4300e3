package mplp

// Role is a role as it is posted. Package domain checks the capabilities.
type Role struct {
	ID, Name, Description string
	Capabilities          []string
	CreatedAt, UpdatedAt  string // as RenderTime writes them
	Locked                bool   // governance.locked
	Trace                 *Trace
	Native                *Object // as sent, without "$comment"
	Warnings              []Warning
}

// ParseRole reads a posted role. Errors are *SyntaxError or *Invalid.
func ParseRole(data []byte, l Limits) (*Role, error) {
	r, o, err := openDocument(data, l)
	if err != nil {
		return nil, err
	}
	role := &Role{Native: o}
	r.warnFilled(o, "", "meta")
	r.members("", o, fields{
		{"meta", anyObject},
		{"events", events},
		{"governance", readGovernance(&role.Locked)},
		{"trace", readTrace(&role.Trace)},
		{"role_id", id(&role.ID)},
		{"name", filledTitle(&role.Name)},
		{"description", described(&role.Description)},
		{"capabilities", titles(&role.Capabilities)},
		{"created_at", moment(&role.CreatedAt)},
		{"updated_at", moment(&role.UpdatedAt)},
	}, "name")
	role.Warnings = r.warnings
	return result(r, role)
}
