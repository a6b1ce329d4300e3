package mplp

// ApprovalCommand is the answer to an approval request. It has at least one decision,
// in the order of the actions; the caller checks how many. Key, SessionID and
// ContentHash may be "".
type ApprovalCommand struct {
	SessionID, Key, ContentHash, UserEditContent, DecidedByRole, Reason string
	Decisions                                                           []ActionDecision
}

// ParseApprovalCommand reads an approval command. Errors are *SyntaxError or
// *Invalid.
func ParseApprovalCommand(data []byte, l Limits) (*ApprovalCommand, error) {
	r, o, err := openDocument(data, l)
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
	c.SessionID = resolveSession(r, "session_id", c.SessionID, c.Key)
	return result(r, c)
}
