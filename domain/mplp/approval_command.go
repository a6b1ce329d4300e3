package mplp

// ApprovalCommand is the answer to an approval request. Its decisions are
// positional and at least one; whether they are enough for the actions is for
// the caller to say (requirements A-17). Key, SessionID and ContentHash may
// be "".
type ApprovalCommand struct {
	SessionID, Key, ContentHash, UserEditContent, DecidedByRole, Reason string
	Decisions                                                           []ActionDecision
}

// ParseApprovalCommand reads an approval command. Errors are *SyntaxError or
// *Invalid.
func ParseApprovalCommand(data []byte, l Limits) (*ApprovalCommand, error) {
	r, o, err := open(data, l)
	if err != nil {
		return nil, err
	}
	c := &ApprovalCommand{}
	r.members("", o, fields{
		{"type", constant("approval")},
		{"session_id", id(&c.SessionID)},
		{"approval_key", id(&c.Key)}, // or the id of a confirm that has none
		{"content_hash", contentHash(&c.ContentHash)},
		{"user_edit_content", text(&c.UserEditContent)},
		{"decided_by_role", filledTitle(&c.DecidedByRole)},
		{"reason", text(&c.Reason)},
		{"decisions", actionDecisions(&c.Decisions)},
	}, "decisions")
	c.SessionID = agreeOnSession(r, "session_id", c.SessionID, c.Key)
	return verdict(r, c)
}
