package views_test

import (
	"strings"
	"time"

	"countersign/views"
)

const tradeArgs = `{"symbol":"VNM","quantity":100,"side":"buy","price":82000,"client_ref":9007199254740993,"options":{"time_in_force":"day","allow_partial":true,"tags":["rebalance","auto"]}}`

func tradeView() views.ConfirmView {
	return views.ConfirmView{
		Self: "/confirms/c1?status=pending", BackURL: "/confirms?status=pending", ID: "0198f3a2-5d1c-7a31-9f1e-2c7f5a0b9d10", Status: "pending",
		TargetType: "other", Target: views.Link{Label: "order-7781"}, TargetID: "order-7781",
		Actions:     []views.Action{{Name: "execute_trade", Args: tradeArgs, ToolUseID: "toolu_01XyzAbc", ArgsHash: hash, Description: "Buys at the given limit price."}},
		Requester:   views.Requester{Principal: "trading-agent", Kind: "agent", Owner: "trader", Role: views.Link{Label: "executor", URL: "/roles/executor"}, Registered: true},
		Reason:      "The portfolio is 3 % below its target for VNM. Buying 100 brings it back.",
		RequestedAt: views.At(now.Add(-2 * time.Minute)), ReceivedAt: views.At(now.Add(-time.Minute)), Deadline: views.Until(now.Add(4*time.Minute), now),
		ContentHash: hash, TraceID: "trace-exec-001", SpanID: "span-3", SessionID: "abc-123", MessageID: "msg-abc", ApprovalKey: "abc-123_1",
		MayDecide: []string{"admin", "reviewer", "human_user"},
		Form: &views.DecisionForm{
			Action: "/confirms/c1/decision?status=pending", ContentHash: hash, MayApprove: true, MayReject: true,
			Actions: []views.ActionInput{{MayApprove: true, MayEdit: true}},
			Presets: []string{"Not now", "Wrong target", "Amount too high", "Needs more context", "Duplicate"},
			Roles:   []views.Option{{Value: "reviewer", Label: "reviewer"}, {Value: "admin", Label: "admin"}},
		},
		Cancel: &views.CancelForm{Action: "/confirms/c1/cancel", Label: "Cancel this request", Hint: "The agent learns that nobody decided. Its plan stays as it is."},
	}
}

func editErrorView() views.ConfirmView {
	return with(tradeView(), func(v *views.ConfirmView) {
		v.Form.Reason = "Half of it is enough"
		v.Form.Actions[0].Args = "{\n  \"symbol\": \"VNM\",\n  \"quantity\": 50,,\n}"
		v.Form.Errors = views.Errors{"": "Nothing was decided: the edited arguments are not JSON.", "args_0": "Line 3, column 18: a member's name is expected, not a comma."}
	})
}

func argsFormView() views.ConfirmView {
	return with(tradeView(), func(v *views.ConfirmView) {
		v.Form.Editing = true
		v.Form.Errors = views.Errors{"unfit_0": "These arguments do not fit the agent's schema."}
		v.Form.Actions[0].Misfit = true
		v.Form.Actions[0].Fields = []views.ArgsField{
			{Name: "field_0_0", Member: "symbol", Title: "Ticker \u202eevil", Description: "As the exchange writes it", Required: true, Text: "VNM"},
			{Name: "field_0_1", Member: "quantity", Kind: views.ArgsNumber, Whole: true, Required: true, Text: "0", Error: "This must be at least 1."},
			{Name: "field_0_2", Member: "side", Kind: views.ArgsChoice, Text: "0", Choices: []views.Option{{Value: "0", Label: "buy", Selected: true}, {Value: "1", Label: "sell"}, {Label: "Not given"}}},
			{Name: "field_0_3", Member: "tags", Kind: views.ArgsList, Long: true, Text: "long\nterm"},
			{Member: "route", Kind: views.ArgsGroup, Title: "Where it goes", Members: []views.ArgsField{
				{Name: "field_0_4", Member: "venue", Text: "XETRA"},
				{Name: "field_0_5", Member: "via", Kind: views.ArgsJSON, Long: true, Unnamed: true, Text: "[\n  1.0\n]"},
			}},
		}
	})
}

func severalView() views.ConfirmView {
	return with(tradeView(), func(v *views.ConfirmView) {
		v.Actions = []views.Action{
			{Name: "wire_transfer", Args: `{"amount":"12500.00","currency":"EUR","iban":"DE02120300000000202051","purpose":"Invoice 2025-118"}`, ToolUseID: "toolu_01"},
			{Name: "send_mail", Args: `{"to":"supplier@example.com","subject":"Paid","body":"Your invoice is paid."}`},
		}
		v.Form.Actions = []views.ActionInput{{MayApprove: true, MayEdit: true}, {MayApprove: true, MayEdit: true}}
		v.Deadline = views.Until(now.Add(42*time.Second), now)
	})
}

func planConfirmView() views.ConfirmView {
	return with(tradeView(), func(v *views.ConfirmView) {
		v.Heading, v.TargetType, v.Target, v.TargetID = "Fix Login Bug", "plan", views.Link{Label: "Fix Login Bug", URL: "/plans/p1"}, "plan-550e8400-e29b-41d4-a716-446655440001"
		v.Actions, v.Form.Actions, v.ApprovalKey = nil, nil, ""
		v.Deadline = views.Deadline{}
		v.Reason = "Requesting approval to fix login 500 error"
		v.Plan = &views.ConfirmPlan{Plan: v.Target, Objective: "Investigate and fix the 500 error on /login endpoint in production", Status: "proposed", Drawing: drawing(), Steps: steps()}
		v.Context = &views.ConfirmContext{Context: views.Link{Label: "Login service", URL: "/contexts/ctx"}, Status: "active", Reading: rowsOf(`{"title":"Login service","root":{"domain":"auth","environment":"production"}}`)}
		v.Supersedes = []views.ConfirmRef{{ID: "confirm-before", URL: "/confirms/before", Status: "rejected", When: views.At(now.Add(-time.Hour)), Reason: "Write the tests before the fix, please."}}
		v.OnReject = "abort"
	})
}

func nothingView() views.ConfirmView {
	return with(tradeView(), func(v *views.ConfirmView) {
		v.Actions, v.Form.Actions = nil, nil
		v.Requester.Registered = false
		v.Requester.Role = views.Link{Label: "role-planner-001"}
		v.Form.MayReject, v.Form.MissingReject = false, "confirm.reject"
	})
}

func notYoursView() views.ConfirmView {
	return with(tradeView(), func(v *views.ConfirmView) {
		v.Form, v.Cancel = nil, nil
		v.RequiredRole = "architect"
		v.Refusals = []string{"You cannot decide your own or your keys' requests.", "Only the role architect can decide this, and you do not hold it."}
	})
}

func approvedView() views.ConfirmView {
	return with(tradeView(), func(v *views.ConfirmView) {
		v.Form, v.Cancel, v.Status, v.Cause, v.JustDecided = nil, nil, "approved", "human", true
		v.Actions[0].Decision = "approve"
		v.Evidence = proof(views.EvidenceProven)
		v.Receipt = &views.Receipt{Status: "approved", Cause: "decided by a person", By: "reviewer", Role: "reviewer", At: views.At(now), Took: "1 min 12 s", Reason: "Within the limits.", ContentHash: hash, EffectiveHash: hash, LogIndex: "41", LogURL: "/log#entry-41"}
		v.History = []views.DecisionEntry{{Status: "approved", Cause: "human", Words: "decided by a person", By: "reviewer", Role: "reviewer", At: views.At(now), Reason: "Within the limits.", Warning: "decided by its own requester, as this server's settings allow"}}
		v.Next = &views.NextConfirm{URL: "/confirms/c2?status=pending", Label: "wire_transfer + send_mail", Left: 3}
	})
}

func editedView() views.ConfirmView {
	return with(approvedView(), func(v *views.ConfirmView) {
		v.Actions[0].Decision, v.Actions[0].EditedArgs = "edit", strings.Replace(tradeArgs, "100", "50", 1)
		v.Receipt.EffectiveHash = strings.Replace(hash, "9f2c", "0b11", 1)
		v.Receipt.Feedback = "50 is enough for today."
		v.Next = &views.NextConfirm{}
	})
}

func conflictView() views.ConfirmView {
	return with(approvedView(), func(v *views.ConfirmView) {
		v.Status, v.Receipt.Status, v.Actions[0].Decision, v.JustDecided = "rejected", "rejected", "reject", false
		v.Conflict = &views.Notice{Tone: views.ToneWarn, Title: "Already decided", Detail: "architect rejected it before you, on 5 Mar 2026, 14:29:58 UTC. Your decision was not saved."}
	})
}

func timeoutView() views.ConfirmView {
	return with(approvedView(), func(v *views.ConfirmView) {
		v.Status, v.Cause, v.Actions[0].Decision, v.JustDecided = "rejected", "timeout", "reject", false
		v.Receipt = &views.Receipt{Status: "rejected", Cause: "nobody decided in time", Role: "system", At: views.At(now), Took: "5 min", ContentHash: hash, EffectiveHash: hash, LogIndex: "42"}
	})
}

func importView() views.ConfirmView {
	return with(notYoursView(), func(v *views.ConfirmView) {
		v.Status, v.Cause, v.Import, v.RequiredRole = "unsubstantiated", "import", true, ""
		v.Evidence = proof(views.EvidenceImport)
		v.Actions = nil
		v.Heading = "“Moved over from the old system”"
		v.Claim = &views.Claim{Status: "approved", Decisions: []views.ClaimedDecision{
			{Status: "approved", Role: "release manager", At: views.At(now.Add(-300 * time.Hour)), Reason: "Looks fine."}, {Status: "cancelled", Role: hostile},
		}}
	})
}

// hostile is what an agent may try: controls that reorder, letters that look
// alike, markup, and attributes that would make a control.
const hostile = "pay\u202e001\u202c to pаypal\u200b <script>alert(1)</script> <a hx-get=\"/x\" onclick=\"x()\" style=\"color:red\">y</a>"

func hostileView() views.ConfirmView {
	return with(planConfirmView(), func(v *views.ConfirmView) {
		v.Heading, v.Reason, v.Target.Label, v.Plan.Plan.Label, v.Plan.Objective = hostile, hostile, hostile, hostile, hostile
		v.TraceID, v.SpanID, v.SessionID, v.MessageID = hostile, hostile, hostile, hostile
		v.Requester.Principal, v.Requester.Role.Label = hostile, hostile
		v.Plan.Steps[1].Description = hostile
		v.Plan.Drawing.Nodes[0].Lines = []string{hostile}
		v.Actions = []views.Action{{Name: hostile, Args: "{\"" + hostile[:6] + "\":\"\u202e\"}", Description: hostile}}
		v.Form.Actions = []views.ActionInput{{MayApprove: true, MayEdit: true}}
	})
}
