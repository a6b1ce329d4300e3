package mplp

import (
	"slices"
	"strings"
)

// DecisionPost is the body of POST /confirms/{id}/decisions, or of PATCH. Its
// Status is always set: when it is left out it follows from the decisions.
type DecisionPost struct {
	Status, ContentHash, Reason, UserEditContent, DecidedByRole, DecisionID string
	Decisions                                                               []ActionDecision
	Warnings                                                                []Warning
}

// ParseDecision reads the body of POST /confirms/{id}/decisions. Errors are
// *SyntaxError or *Invalid.
func ParseDecision(data []byte, l Limits) (*DecisionPost, error) {
	r, o, err := open(data, l)
	if err != nil {
		return nil, err
	}
	d := &DecisionPost{}
	r.members("", o, fields{
		{"status", oneOf(&d.Status, "approved", "rejected")},
		{"content_hash", contentHash(&d.ContentHash)},
		{"reason", text(&d.Reason)},
		{"user_edit_content", text(&d.UserEditContent)},
		{"decided_by_role", filledTitle(&d.DecidedByRole)},
		{"decided_at", decidedAt},
		{"decision_id", id(&d.DecisionID)},
		{"decisions", actionDecisions(&d.Decisions)},
	}, "content_hash")
	d.agree(r, o)
	d.Warnings = r.warnings
	return verdict(r, d)
}

// ParseDecisionPatch reads the body of PATCH /confirms/{id}: one new decision
// record and the status it leads to (requirements F-10). The content hash is
// not part of it. Errors are *SyntaxError or *Invalid.
func ParseDecisionPatch(data []byte, l Limits) (*DecisionPost, error) {
	r, o, err := open(data, l)
	if err != nil {
		return nil, err
	}
	d := &DecisionPost{}
	var status string
	r.members("", o, fields{
		{"status", oneOf(&status, "approved", "rejected")},
		{"decisions", d.record},
	}, "decisions")
	if status != "" && d.Status != "" && status != d.Status {
		r.problem("status", "const", "must be the status of the decision")
	}
	d.Warnings = r.warnings
	return verdict(r, d)
}

// agree holds status and decisions of a post together: one may follow from the
// other, but they may not differ.
func (d *DecisionPost) agree(r *reader, o *Object) {
	raw, sent := o.Get("decisions")
	if !sent || isNull(raw) {
		if raw, ok := o.Get("status"); !ok || isNull(raw) {
			r.require("status")
		}
		return
	}
	undecided := func(a ActionDecision) bool { return a.Type == "" }
	if len(d.Decisions) == 0 || slices.ContainsFunc(d.Decisions, undecided) {
		return // a problem already
	}
	status := StatusOf(d.Decisions)
	switch d.Status {
	case "":
		d.Status = status
	case status:
	default:
		r.problem("status", "const", "must agree with the decisions, which make it "+status)
	}
}

func contentHash(p *string) func(value) {
	return func(v value) {
		hash, ok := v.text()
		if hex, named := strings.CutPrefix(hash, "sha256:"); ok && (!named || len(hex) != 64 || strings.Trim(hex, "0123456789abcdef") != "") {
			v.problem("pattern", "must be sha256: and 64 hex digits in lower case")
		}
		*p = hash
	}
}
