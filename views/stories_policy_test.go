package views_test

import (
	"time"

	"countersign/views"
)

func policyRowView() views.PolicyRow {
	return views.PolicyRow{
		URL: "/policies/p1", Name: "Large payments", Effect: "People must approve", Status: "enabled", Version: "3", By: "admin",
		Sentence: "For calls of wire_* with amount over 10,000, one person of finance and one of security must approve. One rejection is enough to refuse.",
		Saved:    views.Ago(now.Add(-time.Hour), now), Pending: 2, Short: true,
	}
}

func policiesView() views.PoliciesView {
	odd, broken := policyRowView(), policyRowView()
	odd.Name, odd.Status, odd.Short = hostile, "disabled", false
	broken.Sentence, broken.Broken = "", "The document cannot be read."
	return views.PoliciesView{Self: "/policies", Rows: []views.PolicyRow{policyRowView(), odd, broken}, NewURL: "/policies/new"}
}

func policyFormView() *views.PolicyForm {
	roles := func(chosen string) views.RolePick {
		return views.RolePick{Name: chosen, Options: []views.Option{{Value: "finance", Label: "finance", Selected: chosen == "finance"}, {Value: "security", Label: "security", Selected: chosen == "security"}}}
	}
	units := []views.Option{{Value: "60", Label: "minutes", Selected: true}, {Value: "3600", Label: "hours"}}
	is := []views.Option{{Value: "over", Label: "over", Selected: true}, {Value: "is", Label: "is"}}
	return &views.PolicyForm{
		Action: "/policies/p1", TryURL: "/policies/try?id=p1", Version: "3", Name: "Large payments",
		Errors:  views.Errors{"": "Nothing was saved.", "value_0": "Must be a number, such as 10000 or 0.5.", "tools": "Is there already.", "escalate_role_0": "Must be another role."},
		Effects: []views.Option{{Value: "require", Label: "People must approve", Selected: true}, {Value: "reject", Label: "Reject at once"}},
		Tools:   "wire_*", Targets: []views.Option{{Value: "other", Label: "other", Selected: true}}, Keys: "bot", Requesters: "executor",
		Rows:       []views.ConditionRow{{Member: "args.amount", Is: is, Value: "ten"}, {Is: is}},
		Quorum:     []views.QuorumRow{{Role: roles("finance"), Approvals: "1"}, {Role: roles("security"), Approvals: "1"}, {Role: roles(""), Approvals: "1"}},
		Rejections: "2", Timeout: views.Duration{Number: "90", Units: units}, Note: "Call the\nbank first.", Enabled: true, Added: "member_1",
		Escalations: []views.EscalationRow{{After: views.Duration{Number: "15", Units: units}, Role: roles("finance"), For: roles("security")}, {After: views.Duration{Units: units}}},
	}
}

func policyView() views.PolicyView {
	return views.PolicyView{
		PolicyRow: policyRowView(), ID: "p1", Form: policyFormView(), Shortages: []string{"2 people of security are needed and 1 may vote: requests will time out."},
		Warnings: []string{"Without match and condition, this policy matches every request."}, DisableURL: "/policies/p1/disable", MoreURL: "/policies/p1?versions=all",
		Versions: []views.PolicyVersion{
			{Number: "3", Status: "enabled", By: hostile, At: views.At(now), Document: `{"v":1}`,
				Before: []string{"Name: Large payments", "Condition: args.amount > 10000"}, After: []string{"Name: Large payments", "Condition: args.amount > 20000 && args.to == \"\u202e\""}},
			{Number: "2", Status: "disabled", By: "admin", At: views.At(now), Document: `{"v":1}`, Before: []string{"Name: a"}, After: []string{"Name: a"}},
			{Number: "1", Status: "enabled", By: "admin", At: views.At(now), Document: `{"v":1}`},
		},
	}
}

// triedPolicyView is a new policy written by hand, and what it would have done.
func triedPolicyView() views.PolicyView {
	form := policyFormView()
	form.Version, form.Errors, form.ByHand, form.Condition, form.IsRows, form.Rows = "", nil, true, "args.amount > 10000 ||\n\targs.currency != 'EUR'", true, form.Rows[1:]
	form.Quorum[0].Role.Options = nil
	return views.PolicyView{Form: form, Trial: &views.PolicyTrial{
		Sentence: policyRowView().Sentence, Counts: []string{"It matches 2 of the last 100 requests, 1 of them because a member is missing."},
		Matches: []views.PolicyMatch{
			{URL: "/confirms/c1", Tools: []string{"wire_transfer", hostile}, Requester: hostile, At: views.Ago(now.Add(-time.Hour), now), Why: "args.amount is missing"},
			{URL: "/confirms/c2", Heading: "Request about a plan", Requester: "bot", At: views.Ago(now, now)},
		},
	}}
}

func readPolicyView() views.PolicyView {
	v := policyView()
	v.Form, v.DisableURL, v.Broken = nil, "", "The condition cannot be read."
	v.Members = []views.PolicyMember{{Label: "Tools", Value: "wire_*"}, {Label: "Note", Value: hostile}}
	return v
}
