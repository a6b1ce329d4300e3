package web

import (
	"net/url"
	"slices"
	"strconv"
	"strings"

	"countersign/domain"
	"countersign/domain/policy"
	"countersign/views"
)

// How many rows the form of a policy has.
const (
	minConditionRows, maxConditionRows = 2, 32
	minQuorumRows                      = 2
)

var (
	policyEffects = []views.Option{{Value: string(policy.Require), Label: "People must approve"}, {Value: string(policy.Reject), Label: "Reject at once"}}
	// policyUnits are those of durations, in seconds.
	policyUnits       = []views.Option{{Value: "60", Label: "minutes"}, {Value: "3600", Label: "hours"}, {Value: "86400", Label: "days"}, {Value: "1", Label: "seconds"}}
	policyComparisons = comparisonOptions()
)

func comparisonOptions() (list []views.Option) {
	for _, is := range policy.Comparisons() {
		list = append(list, views.Option{Value: is, Label: is})
	}
	return list
}

// policyFields are a document as fields of its form.
func policyFields(d *policy.Document) url.Values {
	fields := url.Values{
		"name": {d.Name}, "effect": {string(d.Effect)}, "target": d.Match.TargetTypes, "tools": {joinList(d.Match.Tools)},
		"keys": {joinList(d.Match.Keys)}, "requesters": {joinList(d.Match.Roles)}, "note": {d.Note},
	}
	if d.Rejections > 0 {
		fields.Set("rejections", strconv.Itoa(d.Rejections))
	}
	setDuration(fields, "timeout", d.Timeout)
	setCondition(fields, d.Condition)
	for i, t := range d.Quorum {
		fields.Set(numbered("quorum_role_", i), t.Role)
		fields.Set(numbered("quorum_approvals_", i), strconv.Itoa(t.Approvals))
	}
	for i, e := range d.Escalate {
		setDuration(fields, numbered("after_", i), e.After)
		fields.Set(numbered("escalate_role_", i), e.Role)
		fields.Set(numbered("escalate_for_", i), e.For)
	}
	return fields
}

// setDuration shows seconds in the largest unit that they are a multiple of.
func setDuration(fields url.Values, name string, seconds int64) {
	for _, unit := range []int64{86400, 3600, 60, 1} {
		if seconds > 0 && seconds%unit == 0 {
			fields.Set(name, strconv.FormatInt(seconds/unit, 10))
			fields.Set(name+"_unit", strconv.FormatInt(unit, 10))
			return
		}
	}
}

// setCondition shows a condition as rows, if it is made of so many, and otherwise as text.
func setCondition(fields url.Values, condition string) {
	rows := policy.Rows(condition)
	if len(rows) > maxConditionRows || rows == nil && condition != "" {
		setHandwritten(fields, condition)
		return
	}
	setHandwritten(fields, "")
	fields.Del("by_hand")
	for i, row := range rows {
		fields.Set(numbered("member_", i), row.Member)
		fields.Set(numbered("is_", i), row.Is)
		fields.Set(numbered("value_", i), row.Value)
	}
}

// setHandwritten shows a condition as text, without rows.
func setHandwritten(fields url.Values, condition string) {
	for i := range countRows(fields, "member_", maxConditionRows) {
		fields.Del(numbered("member_", i))
		fields.Del(numbered("is_", i))
		fields.Del(numbered("value_", i))
	}
	fields.Set("by_hand", "1")
	fields.Set("condition", condition)
}

// countRows says how many rows have a field of this name.
func countRows(fields url.Values, name string, most int) (n int) {
	for n < most && fields.Has(numbered(name, n)) {
		n++
	}
	return n
}

func numbered(name string, i int) string { return name + strconv.Itoa(i) }

// newPolicyForm is the form with these fields. Roles are nil for readers who may not see
// them.
func newPolicyForm(fields url.Values, roles []*domain.Role, wrong views.Errors) *views.PolicyForm {
	field := func(name string) string { return fieldOf(fields, name) }
	pick := func(name string) views.RolePick { return newRolePick(field(name), roles) }
	duration := func(name string) views.Duration {
		return views.Duration{Number: field(name), Units: selected(policyUnits, field(name+"_unit"))}
	}
	form := &views.PolicyForm{
		Version: field("version"), Errors: wrong, Name: field("name"), Effects: selected(policyEffects, field("effect")),
		Tools: field("tools"), Keys: field("keys"), Requesters: field("requesters"), ByHand: field("by_hand") != "", Condition: field("condition"),
		Rejections: field("rejections"), Timeout: duration("timeout"), Note: field("note"), Enabled: field("enabled") != "",
	}
	form.IsRows = strings.TrimSpace(form.Condition) == "" || policy.Rows(form.Condition) != nil
	for _, target := range domain.TargetTypes {
		form.Targets = append(form.Targets, views.Option{Value: string(target), Label: string(target), Selected: slices.Contains(fields["target"], string(target))})
	}
	blanks := minConditionRows
	if form.ByHand {
		blanks = 1
	}
	for i := range max(countRows(fields, "member_", maxConditionRows), blanks) {
		form.Rows = append(form.Rows, views.ConditionRow{
			Member: field(numbered("member_", i)), Is: selected(policyComparisons, field(numbered("is_", i))), Value: field(numbered("value_", i)),
		})
	}
	for i := range max(countRows(fields, "quorum_role_", policy.MaxThresholds), minQuorumRows) {
		row := views.QuorumRow{Role: pick(numbered("quorum_role_", i)), Approvals: "1"}
		if name := numbered("quorum_approvals_", i); fields.Has(name) {
			row.Approvals = field(name)
		}
		form.Quorum = append(form.Quorum, row)
	}
	for i := range max(countRows(fields, "escalate_role_", policy.MaxEscalations), 1) {
		form.Escalations = append(form.Escalations, views.EscalationRow{
			After: duration(numbered("after_", i)), Role: pick(numbered("escalate_role_", i)), For: pick(numbered("escalate_for_", i)),
		})
	}
	return form
}

// fieldOf is a field with line ends as they are everywhere but in forms.
func fieldOf(fields url.Values, name string) string {
	return strings.ReplaceAll(fields.Get(name), "\r\n", "\n")
}

// newRolePick offers all roles, and the chosen one also if there is none like it.
func newRolePick(chosen string, roles []*domain.Role) views.RolePick {
	pick := views.RolePick{Name: chosen}
	isFound := chosen == "" || roles == nil
	for _, role := range roles {
		isChosen := !isFound && (role.ID == chosen || strings.EqualFold(role.Name, chosen))
		isFound = isFound || isChosen
		pick.Options = append(pick.Options, views.Option{Value: role.ID, Label: role.Name, Selected: isChosen})
	}
	if !isFound {
		pick.Options = append(pick.Options, views.Option{Value: chosen, Label: chosen, Selected: true})
	}
	return pick
}
