package mplp

// Approval is an approval request: a content_block_start frame or its content
// block alone. Key is "" when the server is to choose it. Confirm is the
// confirm that it amounts to, with target_type other.
type Approval struct {
	Key, SessionID, MessageID               string
	Index                                   int64
	RequestedByRole, Reason, PlanID, StepID string
	Confirm                                 *Confirm
	Warnings                                []Warning
}

// ApprovalCommand is the answer to an approval request. Its decisions are
// positional and at least one; whether they are enough for the actions is for
// the caller to say (requirements A-17). Key, SessionID and ContentHash may
// be "".
type ApprovalCommand struct {
	SessionID, Key, ContentHash, UserEditContent, DecidedByRole, Reason string
	Decisions                                                           []ActionDecision
}

// ParseApproval reads an approval request. Errors are *SyntaxError or *Invalid.
func ParseApproval(data []byte, l Limits) (*Approval, error) { panic("not yet") }

// ParseApprovalCommand reads an approval command. Errors are *SyntaxError or
// *Invalid.
func ParseApprovalCommand(data []byte, l Limits) (*ApprovalCommand, error) { panic("not yet") }
