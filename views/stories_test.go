package views_test

import (
	"strings"
	"time"

	"github.com/a-h/templ"

	"countersign/domain"
	"countersign/domain/reading"
	"countersign/views"
)

// A story is one state of one page, as a person may meet it.
type story struct {
	name    string
	frame   views.Frame
	content templ.Component
}

var now = time.Date(2026, 3, 5, 14, 30, 0, 0, time.UTC)

func frame(title, section string) views.Frame {
	return views.Frame{
		Title: title,
		Assets: views.Assets{
			Style: "/static/app.css", Script: "/static/app.js", Icon: "/static/icon.svg",
			HTMX: "/static/lib/htmx.min.js", SSE: "/static/lib/hx-sse.min.js",
		},
		SignedIn: true, UserName: "reviewer", Shortcuts: true,
		Now:    now.Format(time.RFC3339),
		Events: []string{"confirm", "plan"},
		Nav: views.Nav{
			Current: section, Pending: 4, PendingCap: 99, Links: []views.Link{
				{Label: "Plans", URL: "/plans"}, {Label: "Contexts", URL: "/contexts"}, {Label: "Roles", URL: "/roles"}, {Label: "Users", URL: "/users"},
				{Label: "Keys", URL: "/keys"}, {Label: "Log", URL: "/log"}, {Label: "Evidence", URL: "/evidence"},
			},
		},
	}
}

func stories() []story {
	door := views.Frame{Title: "Sign in", Assets: frame("", "").Assets}
	const inbox, confirm = "/confirms", "/confirms"
	return []story{
		{"signin", door, views.SignIn(views.SignInView{})},
		{"signin-refused", door, views.SignIn(views.SignInView{Username: "reviewer", Next: "/confirms/x", Error: "User name or password is wrong."})},
		{"setup", door, views.Password(views.PasswordView{Action: "/setup", Setup: true, Token: "t", Errors: views.Errors{"password": "This password is on the list of common ones."}})},
		{"set-password", door, views.Password(views.PasswordView{Action: "/link/t", Username: "reviewer"})},
		{"link-used", door, views.Password(views.PasswordView{Invalid: true})},

		{"inbox", frame("Inbox", inbox), views.Inbox(inboxView())},
		{"inbox-decided", frame("Inbox", inbox), views.Inbox(decidedView())},
		{"inbox-empty", frame("Inbox", inbox), views.Inbox(views.InboxView{Self: "/confirms", PendingURL: "/confirms", DecidedURL: "/confirms?status=decided", EmptyAt: "http://127.0.0.1:8080"})},
		{"inbox-empty-so-far", frame("Inbox", inbox), views.Inbox(views.InboxView{NextURL: "/confirms?cursor=x&q=wire", Filter: views.InboxFilter{Active: true, Query: "wire", ClearURL: "/confirms"}})},
		{"inbox-filtered-empty", frame("Inbox", inbox), views.Inbox(views.InboxView{Filter: views.InboxFilter{Active: true, Query: "wire", ClearURL: "/confirms"}})},

		{"confirm-action", frame("execute_trade", confirm), confirmPage(tradeView())},
		{"rows", frame("Arguments", confirm), rowsStory(argumentsStory)},
		{"confirm-critical", frame("execute_trade", confirm), confirmPage(with(tradeView(), func(v *views.ConfirmView) { v.Deadline = views.Until(now.Add(7*time.Second), now) }))},
		{"confirm-edit-error", frame("execute_trade", confirm), confirmPage(editErrorView())},
		{"confirm-args-form", frame("execute_trade", confirm), confirmPage(argsFormView())},
		{"confirm-several", frame("2 tool calls", confirm), confirmPage(severalView())},
		{"confirm-several-step", frame("2 tool calls", confirm), confirmPage(with(severalView(), func(v *views.ConfirmView) { v.AllOrNone = true }))},
		{"confirm-plan", frame("Fix Login Bug", confirm), confirmPage(planConfirmView())},
		{"confirm-nothing", frame("A confirm", confirm), confirmPage(nothingView())},
		{"confirm-not-yours", frame("execute_trade", confirm), confirmPage(notYoursView())},
		{"confirm-approved", frame("execute_trade", confirm), confirmPage(approvedView())},
		{"confirm-edited", frame("execute_trade", confirm), confirmPage(editedView())},
		{"confirm-conflict", frame("execute_trade", confirm), confirmPage(conflictView())},
		{"confirm-timeout", frame("execute_trade", confirm), confirmPage(timeoutView())},
		{"confirm-vote", frame("execute_trade", confirm), confirmPage(voteView())},
		{"confirm-vote-edited", frame("execute_trade", confirm), confirmPage(voteEditedView())},
		{"confirm-voted", frame("execute_trade", confirm), confirmPage(votedView())},
		{"confirm-vote-rejected", frame("execute_trade", confirm), confirmPage(vetoVotedView())},
		{"confirm-votes-approved", frame("execute_trade", confirm), confirmPage(votesApprovedView())},
		{"confirm-policy-rejected", frame("execute_trade", confirm), confirmPage(policyRejectedView())},
		{"confirm-import", frame("execute_trade", confirm), confirmPage(importView())},
		{"confirm-hostile", frame("hostile", confirm), confirmPage(hostileView())},
		{"edit-review", frame("Review the edit", confirm), views.EditReview(editReview())},
		{"edit-review-several", frame("Review the edit", confirm), views.EditReview(editReviewSeveral())},

		{"plans", frame("Plans", "/plans"), views.Plans(plansView())},
		{"plans-empty", frame("Plans", "/plans"), views.Plans(views.PlansView{EmptyAt: "http://127.0.0.1:8080"})},
		{"plan", frame("Fix Login Bug", "/plans"), views.Plan(planView())},
		{"plan-draft", frame("Fix Login Bug", "/plans"), views.Plan(draftPlanView())},
		{"contexts", frame("Contexts", "/contexts"), views.Contexts(contextsView())},
		{"contexts-empty", frame("Contexts", "/contexts"), views.Contexts(views.ContextsView{})},
		{"contexts-closed", frame("Contexts", "/contexts"), views.Contexts(views.ContextsView{Self: "/contexts", Closed: true})},
		{"context", frame("Login service", "/contexts"), views.Context(contextView())},
		{"roles", frame("Roles", "/roles"), views.Roles(rolesView())},
		{"role", frame("reviewer", "/roles"), views.Role(roleView())},
		{"role-refused", frame("New role", "/roles"), views.Role(refusedRole())},
		{"users", frame("Users", "/users"), views.Users(usersView())},
		{"user", frame("reviewer", "/users"), views.User(userView())},
		{"user-link", frame("reviewer", "/users"), views.User(userLinkView())},
		{"keys", frame("Keys", "/keys"), views.Keys(keysView())},
		{"connect", frame("Connect an agent", "/keys"), views.ConnectPage(connectView(""))},
		{"connected", frame("Connect an agent", "/keys"), views.ConnectPage(connectedView())},
		{"key-created", frame("New key", "/keys"), views.KeyCreated(keyCreated())},
		{"destinations", frame("Destinations", "/destinations"), views.Destinations(destinationsView())},
		{"destination", frame("Payments", "/destinations"), views.Destination(destinationView())},
		{"policies", frame("Policies", "/policies"), views.Policies(policiesView())},
		{"policies-empty", frame("Policies", "/policies"), views.Policies(views.PoliciesView{})},
		{"policy", frame("Large payments", "/policies"), views.Policy(policyView())},
		{"policy-tried", frame("New policy", "/policies"), views.Policy(triedPolicyView())},
		{"policy-read", frame("Large payments", "/policies"), views.Policy(readPolicyView())},
		{"deliveries", frame("Deliveries", "/destinations"), views.Deliveries(deliveriesView())},
		{"log", frame("Log", "/log"), views.Log(logView())},
		{"evidence", frame("Evidence", "/evidence"), views.Evidence(evidenceView())},
		{"evidence-changed", alarmed(frame("Evidence", "/evidence"), changes...), views.Evidence(changedView())},
		{"confirm-changed", alarmed(frame("execute_trade", confirm)), confirmPage(notYoursView())},
		{"evidence-restored", frame("Evidence", "/evidence"), views.Evidence(restoredView())},
		{"confirm-forgotten", frame("execute_trade", confirm), confirmPage(with(approvedView(), func(v *views.ConfirmView) {
			v.Forgotten, v.Actions, v.Reason, v.Evidence = true, nil, "", proof(views.EvidenceForgotten)
		}))},
		{"confirm-altered", frame("execute_trade", confirm), confirmPage(with(approvedView(), func(v *views.ConfirmView) { v.Evidence = proof(views.EvidenceAltered) }))},
		{"confirm-unproven", frame("execute_trade", confirm), confirmPage(with(approvedView(), func(v *views.ConfirmView) { v.Evidence = proof(views.EvidenceUnproven) }))},
		{"account", frame("Account", "/account"), views.Account(accountView())},
		{"forbidden", frame("Not allowed", ""), views.Failure(views.FailureView{Status: 403, Title: "You may not see the log", Message: "Your roles do not allow it.", Missing: "trace.read", RequestID: "01J8-93KD", BackURL: "/confirms", BackLabel: "Inbox"})},
	}
}

func with(v views.ConfirmView, change func(*views.ConfirmView)) views.ConfirmView {
	change(&v)
	return v
}

func inboxView() views.InboxView {
	return views.InboxView{
		Self: "/confirms?status=pending", PendingURL: "/confirms?status=pending", DecidedURL: "/confirms?status=decided",
		PendingCount: 4, PendingCap: 99, Filter: inboxFilter(), NextURL: "/confirms?cursor=abc",
		Rows: []views.InboxRow{
			{
				Tools: []string{"execute_trade"}, ID: "c1", URL: "/confirms/c1", TargetType: "other", Target: "order-7781",
				Reason: "The portfolio is 3 % below its target for VNM. Buying 100 brings it back.", Requester: "trading-agent", RequestRole: "executor",
				Requested: views.Ago(now.Add(-4*time.Minute), now), Deadline: views.Until(now.Add(8*time.Second), now), Mine: true,
			},
			{
				Tools: []string{"wire_transfer", "send_mail"}, ID: "c2", URL: "/confirms/c2", TargetType: "other", Target: "wire-2025-118",
				Reason: "Invoice 2025-118 is due today.\nThe supplier has asked twice.", Requester: "payments-agent", RequestRole: "payments-bot", RoleUnknown: true,
				RequiredRole: "architect", Votes: "1 of 2", HasVoted: true, Requested: views.Ago(now.Add(-40*time.Second), now), Deadline: views.Until(now.Add(48*time.Second), now),
			},
			{
				ID: "c3", URL: "/confirms/c3", TargetType: "plan", Heading: "Fix Login Bug", Target: "Fix Login Bug", Step: "Deploy to staging and verify",
				Reason: "Investigate and fix the 500 error on /login.", Requester: "planner-agent", RequestRole: "planner",
				Requested: views.Ago(now.Add(-26*time.Minute), now), Deadline: views.Until(now.Add(3*time.Hour), now), Mine: true,
			},
			{
				Tools: []string{"context.update"}, ID: "c4", URL: "/confirms/c4", TargetType: "context", Target: "ctx-550e8400-e29b-41d4-a716-446655440000",
				Reason:    "Please " + strings.Repeat("verylongtokenwithoutanybreak", 8) + " now",
				Requester: "planner-agent", RequestRole: "planner", Unbound: true, Locked: true, Requested: views.Ago(now.Add(-3*time.Hour), now),
			},
		},
	}
}

func inboxFilter() views.InboxFilter {
	return views.InboxFilter{
		TargetTypes: []views.Option{{Label: "Any target"}, {Value: "plan", Label: "plan"}, {Value: "context", Label: "context"}, {Value: "other", Label: "other"}},
		Roles:       []views.Option{{Label: "Any role"}, {Value: "planner", Label: "planner"}},
	}
}

func decidedView() views.InboxView {
	return views.InboxView{
		Decided: true, PendingURL: "/confirms", DecidedURL: "/confirms?status=decided", PendingCount: 130, PendingCap: 99, Filter: inboxFilter(), FirstURL: "/confirms?status=decided",
		Rows: []views.InboxRow{
			{Tools: []string{"execute_trade"}, ID: "d1", URL: "/confirms/d1", TargetType: "other", Target: "order-7781", Reason: "Rebalancing.", Requester: "trading-agent", RequestRole: "executor", Requested: views.Ago(now.Add(-time.Hour), now), Decided: true, Status: "approved", Outcome: "as edited", By: "reviewer", DecidedAt: views.At(now.Add(-time.Hour)), Took: views.Span(72 * time.Second)},
			{ID: "d2", URL: "/confirms/d2", TargetType: "plan", Heading: "Fix Login Bug", Target: "Fix Login Bug", Reason: "Fix the 500 error.", Requester: "planner-agent", RequestRole: "planner", Requested: views.Ago(now.Add(-time.Hour), now), Decided: true, Status: "rejected", Cause: "timeout", Outcome: "nobody decided in time", DecidedAt: views.At(now.Add(-2 * time.Hour)), Took: views.Span(5 * time.Minute)},
			{Tools: []string{"wire_transfer"}, ID: "d3", URL: "/confirms/d3", TargetType: "other", Target: "wire-1", Requester: "payments-agent", RequestRole: "executor", Requested: views.Ago(now.Add(-time.Hour), now), Decided: true, Status: "cancelled", Outcome: "withdrawn by the agent", By: "payments-agent", DecidedAt: views.At(now.Add(-3 * time.Hour)), Took: views.Span(8 * time.Second)},
			{ID: "d4", URL: "/confirms/d4", TargetType: "plan", Heading: "Migrate", Target: "Migrate", Requester: "importer", RequestRole: "planner", Import: true, Requested: views.Ago(now.Add(-time.Hour), now), Decided: true, Status: "unsubstantiated", Outcome: "imported as approved"},
		},
	}
}

const hash = "sha256:9f2c4a1be07d35c86a1f0e4b7d92c3f8a6b5d4e3c2b1a09f8e7d6c5b4a392817"

func editReview() views.EditReviewView {
	return views.EditReviewView{
		ID: "0198f3a2", Action: "/confirms/c1/decision", BackURL: "/confirms/c1", Deadline: views.Until(now.Add(3*time.Minute), now),
		Edits:  []views.ActionEdit{{Number: 1, Name: "execute_trade", Before: tradeArgs, After: strings.Replace(tradeArgs, "100", "50", 1)}},
		Reason: "Half of it is enough", Role: "reviewer",
		Hidden: []views.HiddenField{{Name: "decision", Value: "edit"}, {Name: "content_hash", Value: hash}, {Name: "args_0", Value: "{}"}, {Name: "confirmed", Value: hash}},
	}
}

func editReviewSeveral() views.EditReviewView {
	v := editReview()
	v.Others = []views.ActionChoice{{Number: 2, Name: "send_mail", Decision: "reject"}}
	return v
}

func steps() []views.PlanStep {
	role := func(name string) views.Link { return views.Link{Label: name} }
	after := func(ids ...string) []views.Link {
		var links []views.Link
		for _, id := range ids {
			links = append(links, views.Link{Label: id, URL: "#step-" + id[1:]})
		}
		return links
	}
	return []views.PlanStep{
		{Number: 1, ID: "s1", Anchor: "step-1", Description: "Read server error logs from past 24 hours", Status: "completed", AgentRole: role("debugger")},
		{Number: 2, ID: "s2", Anchor: "step-2", Description: "Identify root cause from stack traces", Status: "completed", AgentRole: role("debugger"), DependsOn: after("s1")},
		{Number: 3, ID: "s3", Anchor: "step-3", Description: "Write code patch for null pointer exception", Status: "in_progress", AgentRole: role("coder"), DependsOn: after("s2")},
		{Number: 4, ID: "s4", Anchor: "step-4", Description: "Write unit tests for the fix", Status: "failed", Critical: true, AgentRole: role("coder"), DependsOn: after("s3")},
		{Number: 5, ID: "s5", Anchor: "step-5", Description: "Deploy to staging and verify", Status: "pending", Gated: true, AgentRole: role("devops"), DependsOn: after("s3", "s4")},
	}
}

func drawing() *views.PlanDrawing {
	d := &views.PlanDrawing{Width: 1090, Height: 170, Title: "Fix Login Bug", Desc: "Five steps: s1, then s2, then s3; s4 after s3; s5 after s3 and s4.", Total: 5}
	lines := [][]string{{"Read server error logs", "from past 24 hours"}, {"Identify root cause", "from stack traces"}, {"Write code patch for", "null pointer exception"}, {"Write unit tests", "for the fix"}, {"Deploy to staging", "and verify"}}
	y := []int{50, 50, 50, 10, 50}
	for i, step := range steps() {
		d.Nodes = append(d.Nodes, views.DrawnStep{X: 10 + i*220, Y: y[i], W: 180, H: 70, Lines: lines[i], StepID: step.ID, Status: step.Status, Href: "#" + step.Anchor, Gated: step.Gated, Critical: step.Critical})
	}
	d.Edges = []views.DrawnEdge{
		{Path: "M190 85H228", Done: true}, {Path: "M410 85H448", Done: true}, {Path: "M630 85C650 85 640 45 668 45"},
		{Path: "M630 85C660 85 640 130 680 130H850C880 130 870 85 886 85"}, {Path: "M850 45C875 45 865 85 886 85"},
	}
	return d
}

func plansView() views.PlansView {
	return views.PlansView{
		Self: "/plans", Statuses: []views.Option{{Label: "Any status"}, {Value: "draft", Label: "Draft"}},
		Rows: []views.PlanRow{
			{ID: "p1", URL: "/plans/p1", Title: "Fix Login Bug", Status: "in_progress", Objective: "Investigate and fix the 500 error on /login endpoint in production", Steps: 5, Done: 2, Pending: 1, Poster: "planner-agent", Updated: views.Ago(now.Add(-time.Minute), now)},
			{ID: "p2", URL: "/plans/p2", Title: "Rotate certificates", Status: "draft", Objective: "All of them, before they expire", Steps: 12, Poster: "planner-agent", Updated: views.Ago(now.Add(-time.Hour), now), Locked: true},
		},
	}
}

func planView() views.PlanView {
	return views.PlanView{
		Self: "/plans/p1", ID: "plan-550e8400-e29b-41d4-a716-446655440001", Title: "Fix Login Bug", Objective: "Investigate and fix the 500 error on /login endpoint in production", Status: "in_progress",
		Context: views.Link{Label: "ctx-550e8400", URL: "/contexts/ctx"}, Poster: "planner-agent", Created: views.At(now.Add(-time.Hour)), TraceID: "trace-plan-550e8401", Hash: hash,
		Drawing: drawing(), Steps: steps(),
		Confirms: []views.ConfirmRef{{ID: "confirm-2", URL: "/confirms/2", Status: "pending", When: views.At(now)}, {ID: "confirm-1", URL: "/confirms/1", Status: "approved", When: views.At(now.Add(-time.Hour)), Reason: "Plan looks good, approved for execution"}},
		Cancel:   &views.CancelForm{Action: "/plans/p1/cancel", Label: "Cancel plan", Hint: "The plan stops. Its gate answers ABORT, and its pending requests are cancelled."},
	}
}

func draftPlanView() views.PlanView {
	v := planView()
	v.Status, v.Confirms, v.ProposeURL = "draft", nil, "/plans/p1/propose"
	v.Cancel.Label, v.Cancel.Error = "Abandon draft", "It was proposed a moment ago."
	v.Error = &views.Notice{Tone: views.ToneBad, Title: "The plan was not proposed", Detail: "Step s4 depends on s9, which does not exist."}
	return v
}

func contextsView() views.ContextsView {
	return views.ContextsView{Self: "/contexts", Rows: []views.ContextRow{{ID: "ctx-550e8400", URL: "/contexts/ctx", Title: "Login service", Status: "active", Summary: domain.Excerpt{Text: "The service that signs customers in."}, Updated: views.Ago(now.Add(-time.Hour), now)}}}
}

func contextView() views.ContextView {
	return views.ContextView{
		Self: "/contexts/ctx", ID: "ctx-550e8400", Title: "Login service", Summary: "The service that signs customers in.", Status: "active", Owner: views.Link{Label: "architect", URL: "/roles/architect"},
		Created: views.At(now.Add(-time.Hour)), Updated: views.At(now), Body: `{"title":"Login service","root":{"domain":"auth","environment":"production"},"constraints":[]}`,
		Plans: []views.Link{{Label: "Fix Login Bug", URL: "/plans/p1"}},
	}
}

func rolesView() views.RolesView {
	return views.RolesView{Self: "/roles", NewURL: "/roles/new", Rows: []views.RoleRow{
		{URL: "/roles/admin", Name: "admin", Description: "Everything", Capabilities: []string{"*"}, Users: 1},
		{URL: "/roles/reviewer", Name: "reviewer", Description: "Reviews and approves", Capabilities: []string{"confirm.approve", "confirm.reject", "trace.read"}, Users: 3, Keys: 1},
	}}
}

func roleView() views.RoleView {
	return views.RoleView{
		ID: "reviewer", Action: "/roles/reviewer", MayEdit: true, Name: "reviewer", Description: "Reviews and approves", Capabilities: "confirm.approve\nconfirm.reject\ntrace.read",
		Known:      []views.CapabilityGroup{{Resource: "confirm", Capabilities: []string{"confirm.approve", "confirm.reject", "confirm.request"}}, {Resource: "plan", Capabilities: []string{"plan.create", "plan.propose", "plan.execute"}}},
		Uses:       []views.RoleUse{{Label: "Users", Links: []views.Link{{Label: "reviewer", URL: "/users/1"}}, More: 2}},
		DeleteHint: "You cannot delete a role that is in use.", Created: views.At(now), Updated: views.At(now),
	}
}

func refusedRole() views.RoleView {
	v := roleView()
	v.ID, v.Action, v.Capabilities = "", "/roles", "confirm.approve\nConfirm.reject"
	v.Errors = views.Errors{"capabilities": "Line 2, position 1: C is not a lower case letter. A capability reads resource.action."}
	return v
}

func usersView() views.UsersView {
	return views.UsersView{
		Search: &views.NameSearch{Action: "/users", Label: "Name", Words: "er"}, FirstURL: "/users?q=er", NextURL: "/users?q=er&cursor=x",
		Rows: []views.UserRow{
			{URL: "/users/1", Name: "administrator", Roles: []string{"admin"}, Status: "active", Sessions: 2, LastSeen: views.Ago(now, now), Self: true},
			{URL: "/users/2", Name: "reviewer", Roles: []string{"reviewer", "human_user"}, Status: "invited", Keys: 1},
			{URL: "/users/3", Name: "former", Roles: nil, Status: "disabled"},
			{URL: "/users/4", Name: "forgetful", Roles: []string{"tester"}, Status: "reset"},
		},
		Invite: &views.InviteForm{Roles: roleChoice(), Errors: views.Errors{"role": "Choose at least one role."}},
	}
}

func roleChoice() views.RoleChoice {
	return views.RoleChoice{
		Given: []views.Option{{Value: "reviewer", Label: "reviewer", Hint: "confirm.approve, confirm.reject, trace.read", Selected: true}},
		Found: []views.Option{
			{Value: "admin", Label: "admin", Hint: "*", Disabled: true},
			{Value: "human_user", Label: "human_user", Hint: "confirm.approve"},
		},
		Searchable: true, More: true, Name: "m",
	}
}

func userView() views.UserView {
	return views.UserView{
		Self: "/users/2", Name: "reviewer", Status: "active", Roles: roleChoice(), RolesURL: "/users/2/roles", DisableURL: "/users/2/disable", ResetURL: "/users/2/reset", EndSessionsURL: "/users/2/sessions",
		Sessions: 2, Keys: []views.Link{{Label: "trading-agent", URL: "/keys"}}, Capabilities: []string{"confirm.approve", "confirm.reject"}, Created: views.At(now), LastSeen: views.Ago(now.Add(-time.Hour), now),
	}
}

func userLinkView() views.UserView {
	v := userView()
	v.Link = &views.OneTimeLink{For: "reviewer", URL: "http://127.0.0.1:8080/link/" + strings.Repeat("a1B2", 11), Expires: views.At(now.Add(24 * time.Hour))}
	return v
}

func keysView() views.KeysView {
	return views.KeysView{
		Rows: []views.KeyRow{
			{ID: "cs_4f9Ab2Qw71Zx", Name: "trading-agent", Roles: []string{"executor"}, Status: "active", Expires: views.At(now.Add(90 * 24 * time.Hour)), LastUsed: views.Ago(now.Add(-time.Second*9), now), RevokeURL: "/keys/1/revoke"},
			{ID: "cs_9c0Dq8LmR2vT", Name: "night-watch", Roles: []string{"reviewer", "executor"}, Owner: views.Link{Label: "reviewer", URL: "/users/2"}, MayDecide: true, Status: "revoked"},
		},
		Create: &views.KeyForm{Roles: roleChoice(), Owners: []views.Option{{Value: "2", Label: "reviewer"}}, Days: "90", Errors: views.Errors{"may_decide": "A key that may decide needs an owner."}},
	}
}

func keyCreated() views.KeyCreatedView {
	return views.KeyCreatedView{Name: "trading-agent", Secret: "cs_4f9Ab2Qw71Zx_" + strings.Repeat("kQ7", 16), Roles: []string{"executor"}, Expires: views.At(now.Add(90 * 24 * time.Hour)), BackURL: "/keys",
		Connect: connectView("cs_4f9Ab2Qw71Zx_" + strings.Repeat("kQ7", 16))}
}

func connectView(secret string) views.ConnectView {
	return views.ConnectView{BaseURL: "http://127.0.0.1:8080", KeysURL: "/keys", Secret: secret, Key: &views.ConnectKey{Self: "/connect?key=k", Name: "trading-agent"},
		Targets: []views.ConnectTarget{
			{ID: "claude", Label: "Claude Code", About: "It asks here before it runs a tool.", Snippets: []views.Snippet{{Label: "Print its settings", Language: "sh", Code: "countersign hook config claude"}}},
			{ID: "curl", Label: "curl", About: "Posts a request.", Snippets: []views.Snippet{{Label: "Ask and wait", Language: "sh", Code: "curl \"$COUNTERSIGN_URL/api/v1/confirms?wait=50\""}}},
		}}
}

func connectedView() views.ConnectView {
	v := connectView("")
	v.Key.UsedAt = views.Ago(now.Add(-3*time.Second), now)
	return v
}

func logView() views.LogView {
	return views.LogView{
		Types: []views.Option{{Label: "Any type"}}, NextURL: "/log?cursor=1",
		Rows: []views.LogRow{
			{Sequence: "42", At: views.At(now), Type: "confirm.rejected", Principal: "system", Kind: "system", Role: "system", Cause: "timeout", Object: views.Link{Label: "confirm-2", URL: "/confirms/2"}, Detail: "nobody decided in time"},
			{Sequence: "41", At: views.At(now.Add(-time.Minute)), Type: "confirm.approved", Principal: "reviewer", Kind: "user", Role: "reviewer", Object: views.Link{Label: "confirm-1", URL: "/confirms/1"}},
		},
	}
}

func accountView() views.AccountView {
	return views.AccountView{
		Name: "reviewer", Roles: []views.Link{{Label: "reviewer", URL: "/roles/reviewer"}}, Capabilities: []string{"confirm.approve", "confirm.reject", "trace.read"}, Shortcuts: true,
		Sessions: []views.SessionRow{
			{Current: true, Client: "Firefox on Linux", Address: "127.0.0.1", Started: views.At(now.Add(-time.Hour)), Seen: views.Ago(now, now)},
			{Client: "Chromium on Android", Address: "10.0.0.7", Started: views.At(now.Add(-50 * time.Hour)), Seen: views.Ago(now.Add(-9*time.Hour), now), EndURL: "/account/sessions/2/end"},
		},
		Errors: views.Errors{"current": "This is not your current password."},
	}
}

// confirmPage is the page of a request with its arguments as rows.
func confirmPage(v views.ConfirmView) templ.Component {
	for i := range v.Actions {
		v.Actions[i].Reading = rowsOf(v.Actions[i].Args)
	}
	return views.Confirm(v)
}

// rowsOf is JSON as rows.
func rowsOf(text string) *reading.Reading {
	v, err := reading.Parse([]byte(text))
	if err != nil {
		panic(err)
	}
	r := reading.Of(v, reading.Options{Now: now, Zone: time.FixedZone("CET", 3600)})
	return &r
}

// rowsStory is arguments as rows, on a page of their own.
func rowsStory(arguments string) templ.Component {
	return templ.Join(templ.Raw(`<section class="card"><h1>Arguments</h1>`), views.Rows("args", *rowsOf(arguments), nil), templ.Raw(`</section>`))
}
