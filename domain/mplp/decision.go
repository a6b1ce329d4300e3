package mplp

// ActionDecision decides one action: Type is approve, reject or edit. Name and
// Args (compacted) are those of the edited action and set for an edit only.
type ActionDecision struct {
	Type    string
	Name    string
	Args    []byte
	Message string
}

// DecisionPost is the body of POST /confirms/{id}/decisions, or of PATCH. Its
// Status is always set: when it is left out it follows from the decisions.
type DecisionPost struct {
	Status, ContentHash, Reason, UserEditContent, DecidedByRole, DecisionID string
	Decisions                                                               []ActionDecision
	Warnings                                                                []Warning
}

// ParseDecision reads the body of POST /confirms/{id}/decisions. Errors are
// *SyntaxError or *Invalid.
func ParseDecision(data []byte, l Limits) (*DecisionPost, error) { panic("not yet") }

// ParseDecisionPatch reads the body of PATCH /confirms/{id}: one new decision
// record and the status it leads to (requirements F-10). The content hash is
// not part of it. Errors are *SyntaxError or *Invalid.
func ParseDecisionPatch(data []byte, l Limits) (*DecisionPost, error) { panic("not yet") }
