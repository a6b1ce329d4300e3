package mplp

// Confirm is a request for a decision, as an agent posts it. Absent members
// are "" or nil.
type Confirm struct {
	ID, TargetType, TargetID, PlanID, StepID, Status            string
	RequestedByRole, Reason, RequiredRole, Supersedes, OnReject string
	SessionID, MessageID                                        string
	RequestedAt                                                 string // as RenderTime writes it
	Actions                                                     []Action
	ReviewConfigs                                               []ReviewConfig // none, one for all, or one per action
	Timeout                                                     *int64         // seconds
	Locked                                                      bool           // governance.locked
	Trace                                                       *Trace
	Decisions                                                   []Decision // as sent
	Native                                                      *Object    // as sent, without "$comment"
	Warnings                                                    []Warning
}

// Action is a tool call that waits for consent. Args is the compacted
// arguments object.
type Action struct {
	Name                   string
	Args                   []byte
	ToolUseID, Description string
}

// ReviewConfig says how actions are to be reviewed. AllowedDecisions is nil
// when absent; reject is allowed whether or not it is listed.
type ReviewConfig struct {
	RequireApproval  *bool
	Timeout          *int64 // seconds
	AllowedDecisions []string
}

// Decision is a decision record inside a posted confirm. ID and DecidedAt may
// be "": the server fills them (requirements C-18).
type Decision struct{ ID, Status, DecidedByRole, DecidedAt, Reason string }

// ParseConfirm reads a posted confirm. Errors are *SyntaxError or *Invalid.
func ParseConfirm(data []byte, l Limits) (*Confirm, error) { panic("not yet") }

// Imported reports whether the confirm brings a history of its own: a status
// other than pending, or decisions.
func (c *Confirm) Imported() bool {
	return len(c.Decisions) > 0 || c.Status != "" && c.Status != "pending"
}
