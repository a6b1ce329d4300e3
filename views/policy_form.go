package views

import "strconv"

// PolicyForm is a policy in the form that changes it. It is posted to Action:
// version, name, effect, tools, target (repeated), keys, requesters, by_hand, condition,
// rejections, timeout, timeout_unit, note, enabled, and the fields of its rows, numbered
// from 0. The buttons do, with formaction TryURL, show it again and save nothing.
type PolicyForm struct {
	Action, TryURL string
	Version        string // that was opened
	Errors         Errors
	Name           string
	Effects        []Option
	Tools          string // separated by commas
	Targets        []Option
	Keys           string
	Requesters     string // roles
	ByHand         bool   // the condition is text, to which Rows are added
	Condition      string
	IsRows         bool // of ByHand: the text can be shown as rows
	Rows           []ConditionRow
	Quorum         []QuorumRow
	Rejections     string
	Timeout        Duration
	Escalations    []EscalationRow
	Note           string
	Enabled        bool
	Added          string // the field that a button has added
}

// ConditionRow is one line of a condition: member_0, is_0, value_0.
type ConditionRow struct {
	Member string
	Is     []Option
	Value  string
}

// QuorumRow is a threshold: quorum_role_0, quorum_approvals_0.
type QuorumRow struct {
	Role      RolePick
	Approvals string
}

// EscalationRow is an escalation: after_0, after_0_unit, escalate_role_0, escalate_for_0.
type EscalationRow struct {
	After     Duration
	Role, For RolePick
}

// Duration is a number and its unit.
type Duration struct {
	Number string
	Units  []Option
}

// RolePick is the choice of one role.
type RolePick struct {
	Name    string   // as typed
	Options []Option // nil: the reader does not know the roles, and types a name
}

// hasMore reports whether anything is set that most policies leave out.
func (f *PolicyForm) hasMore() bool {
	return f.Keys != "" || f.Requesters != "" || hasSelected(f.Targets) || f.Errors["keys"]+f.Errors["requesters"]+f.Errors["target"] != ""
}

// hasTerms reports whether deadline, rejections or escalations are set.
func (f *PolicyForm) hasTerms() bool {
	for name := range f.Errors {
		if name == "rejections" || name == "timeout" {
			return true
		}
	}
	set := f.Rejections != "" || f.Timeout.Number != "" || f.Added == numbered("escalate_role_", len(f.Escalations)-1)
	for i, row := range f.Escalations {
		set = set || row.After.Number != "" || row.Role.Name != "" || row.For.Name != "" || f.rowError("after_", i)+f.rowError("escalate_role_", i)+f.rowError("escalate_for_", i) != ""
	}
	return set
}

func (f *PolicyForm) rowError(field string, i int) string { return f.Errors[numbered(field, i)] }

func numbered(field string, i int) string { return field + strconv.Itoa(i) }

// rowLabel hides the labels of all rows but the first from the eye.
func rowLabel(i int) string {
	if i > 0 {
		return "sr-only"
	}
	return ""
}
