package web

import (
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"strings"

	"countersign/domain/mplp"
	"countersign/domain/policy"
	"countersign/views"
)

// policyInput is a posted form, read.
type policyInput struct {
	policy.Document
	Version int64 // that was opened; 0: a new policy
	Enabled bool
	Wrong   views.Errors

	form   url.Values
	fields map[string]string // of the form, by their paths in the document
}

// readPolicy reads a form. Rows that are empty do not count.
func readPolicy(form url.Values) *policyInput {
	in := &policyInput{form: form, Wrong: views.Errors{}, Enabled: form.Get("enabled") != "", fields: map[string]string{
		"name": "name", "effect": "effect", "match.target_types": "target", "match.tools": "tools", "match.keys": "keys", "match.roles": "requesters",
		"condition": "condition", "quorum": "quorum", "rejections": "rejections", "timeout": "timeout", "escalate": "escalate", "note": "note",
	}}
	in.Version, _ = strconv.ParseInt(form.Get("version"), 10, 64) // otherwise it is no version of any policy
	in.V, in.Name, in.Effect, in.Note = 1, in.field("name"), policy.Effect(in.field("effect")), in.field("note")
	in.Match = policy.Match{TargetTypes: form["target"], Tools: splitList(in.field("tools")), Keys: splitList(in.field("keys")), Roles: splitList(in.field("requesters"))}
	in.readCondition()
	if in.Effect != policy.Reject { // which asks nobody; the form hides these
		in.readQuorum()
		in.Rejections, in.Timeout = int(in.number("rejections")), in.duration("timeout")
		in.readEscalations()
	}
	return in
}

func (in *policyInput) field(name string) string { return strings.TrimSpace(fieldOf(in.form, name)) }

// readCondition reads rows, or a text to which rows are added.
func (in *policyInput) readCondition() {
	var rows []policy.Row
	for i := range countRows(in.form, "member_", maxConditionRows) {
		row := policy.Row{Member: in.field(numbered("member_", i)), Is: in.field(numbered("is_", i)), Value: in.field(numbered("value_", i))}
		if row.Member == "" && row.Value == "" {
			continue
		}
		path := fmt.Sprintf("rows[%d].", len(rows))
		in.fields[path+"member"], in.fields[path+"is"], in.fields[path+"value"] = numbered("member_", i), numbered("is_", i), numbered("value_", i)
		rows = append(rows, row)
	}
	added, err := policy.Condition(rows)
	if in.field("by_hand") != "" {
		in.Condition = in.field("condition")
		for _, row := range rows {
			if err == nil {
				in.Condition, err = policy.AddRow(in.Condition, row)
			}
		}
	} else {
		in.Condition = added
	}
	var invalid *mplp.Invalid
	if errors.As(err, &invalid) {
		in.refuse(invalid.Problems)
	}
}

func (in *policyInput) readQuorum() {
	for i := range countRows(in.form, "quorum_role_", policy.MaxThresholds) {
		role, approvals := numbered("quorum_role_", i), numbered("quorum_approvals_", i)
		if text := in.field(approvals); in.field(role) == "" && (text == "" || text == "1") {
			continue
		}
		path := fmt.Sprintf("quorum[%d].", len(in.Quorum))
		in.fields[path+"role"], in.fields[path+"approvals"] = role, approvals
		in.Quorum = append(in.Quorum, policy.Threshold{Role: in.field(role), Approvals: int(in.number(approvals))})
	}
}

func (in *policyInput) readEscalations() {
	for i := range countRows(in.form, "escalate_role_", policy.MaxEscalations) {
		after, role, place := numbered("after_", i), numbered("escalate_role_", i), numbered("escalate_for_", i)
		if in.field(after)+in.field(role)+in.field(place) == "" {
			continue
		}
		path := fmt.Sprintf("escalate[%d]", len(in.Escalate))
		in.fields[path], in.fields[path+".after"], in.fields[path+".role"], in.fields[path+".for"] = role, after, role, place
		in.Escalate = append(in.Escalate, policy.Escalation{After: in.duration(after), Role: in.field(role), For: in.field(place)})
	}
}

// number reads a field that may be empty: 0.
func (in *policyInput) number(name string) int64 {
	text := in.field(name)
	n, err := strconv.ParseInt(text, 10, 32)
	if text != "" && (err != nil || n < 1) {
		in.Wrong[name] = "Enter a whole number, from 1."
		return 0
	}
	return n
}

// duration reads a number and its unit as seconds.
func (in *policyInput) duration(name string) int64 {
	unit, err := strconv.ParseInt(in.field(name+"_unit"), 10, 32)
	if err != nil || unit < 1 {
		unit = 1
	}
	seconds := in.number(name) * unit
	if seconds > policy.MaxTimeout {
		in.Wrong[name] = fmt.Sprintf("Enter at most %d days.", policy.MaxTimeout/86400)
		return 0
	}
	return seconds
}

// refuse says at the fields of the form what is wrong with the document.
func (in *policyInput) refuse(problems []mplp.Problem) {
	for _, p := range problems {
		message := capitalised(p.Message)
		at := p.Path
		for in.fields[at] == "" && at != "" {
			at = at[:max(strings.LastIndexAny(at, ".["), 0)]
		}
		if item := strings.TrimPrefix(p.Path, at); at != "" && strings.HasPrefix(item, "[") {
			if n, err := strconv.Atoi(strings.Trim(item, "[]")); err == nil {
				message = fmt.Sprintf("Item %d: %s", n+1, message)
			}
		}
		name := in.fields[at]
		if at == "" && p.Path != "" {
			message = p.Path + ": " + message
		}
		in.Wrong[name] = strings.TrimSpace(in.Wrong[name] + " " + message)
	}
}

// capitalised writes a message as a sentence.
func capitalised(message string) string {
	if message == "" {
		return ""
	}
	return strings.ToUpper(message[:1]) + strings.TrimSuffix(message[1:], ".") + "."
}
