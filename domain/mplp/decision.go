package mplp

import (
	"slices"
	"strings"
)

// DecisionPost is a posted decision. Its Status is always set: if it was left out it
// follows from the decisions.
type DecisionPost struct {
	Status, ContentHash, Reason, UserEditContent, DecidedByRole, DecisionID string
	Decisions                                                               []ActionDecision
	Warnings                                                                []Warning
}

// ParseDecision reads a posted decision. Errors are *SyntaxError or *Invalid.
func ParseDecision(data []byte, l Limits) (*DecisionPost, error) {
	r, o, err := openDocument(data, l)
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
		{"decided_at", dropDecidedAt},
		{"decision_id", id(&d.DecisionID)},
		{"decisions", actionDecisions(&d.Decisions)},
	}, "content_hash")
	d.checkStatus(r, o)
	d.Warnings = r.warnings
	return result(r, d)
}

// ParseDecisionPatch reads a change of a confirm: one new decision record and the
// status it leads to, without the content hash. Errors are *SyntaxError or *Invalid.
func ParseDecisionPatch(data []byte, l Limits) (*DecisionPost, error) {
	r, o, err := openDocument(data, l)
	if err != nil {
		return nil, err
	}
	d := &DecisionPost{}
	var status string
	r.members("", o, fields{
		{"status", oneOf(&status, "approved", "rejected")},
		{"decisions", d.readRecord},
	}, "decisions")
	if status != "" && d.Status != "" && status != d.Status {
		r.problem("status", "const", "must be the status of the decision")
	}
	d.Warnings = r.warnings
	return result(r, d)
}

// checkStatus checks that status and decisions agree, and fills the status if it is
// missing.
func (d *DecisionPost) checkStatus(r *reader, o *Object) {
	raw, sent := o.Get("decisions")
	if !sent || isNull(raw) {
		if raw, ok := o.Get("status"); !ok || isNull(raw) {
			r.require("status")
		}
		return
	}
	undecided := func(a ActionDecision) bool { return a.Type == "" }
	if len(d.Decisions) == 0 || slices.ContainsFunc(d.Decisions, undecided) {
		return // reported already
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
