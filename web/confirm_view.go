package web

import (
	"net/url"
	"slices"
	"strings"
	"time"

	"countersign/domain"
	"countersign/domain/evidence"
	"countersign/views"
)

// presets are reasons to pick from.
var presets = []string{"As agreed", "Not now", "Wrong target", "Too much at once"}

// newConfirmView is everything a reviewer needs to decide, in the interface's
// words.
func newConfirmView(p *confirmPage) views.ConfirmView {
	c := p.Confirm
	view := views.ConfirmView{
		Self: p.Query.confirm(c.ID), BackURL: p.Query.url(), ID: c.ID, Status: shownStatus(c), Cause: string(c.Cause),
		TargetType: string(c.TargetType), Target: newTarget(p), TargetID: c.TargetID,
		Requester: newRequester(p), ReceivedAt: views.At(c.ReceivedAt), Deadline: views.Until(c.ExpiresAt, p.Now), ExpiresAt: views.At(c.ExpiresAt),
		ContentHash: c.ContentHash, TraceID: c.TraceID, SpanID: c.SpanID, SessionID: c.SessionID, MessageID: c.MessageID,
		ApprovalKey: c.ApprovalKey, Import: c.Imported, Unbound: c.Binding == domain.BoundUnknown, Locked: c.Locked,
		Plan: newConfirmPlan(p), Context: newConfirmContext(p),
		Forgotten: p.Content == nil, Supersedes: newOutcomeRefs(p.Earlier), SupersededBy: newOutcomeRefs(p.Later), History: newHistory(p), JustDecided: p.Receipt,
	}
	view.TraceURL, view.Evidence = traceURL(p.Reader, c.TraceID), newConfirmEvidence(p)
	if p.Content != nil {
		view.Reason = p.Content.Reason
		if at, err := time.Parse(time.RFC3339Nano, p.Content.RequestedAt); err == nil {
			view.RequestedAt = views.At(at)
		}
		for i, action := range p.Content.Actions {
			view.Actions = append(view.Actions, newAction(action, p.decision(i)))
		}
	}
	title := ""
	if view.Target.Label != c.TargetID {
		title = view.Target.Label
	}
	view.Heading = views.Heading(title, view.Reason, view.TargetType)
	if c.RequiredRole != "" {
		view.RequiredRole = c.RequiredRole
		if p.Required != nil {
			view.RequiredRole = p.Required.Name
		}
	}
	for _, role := range p.Standing.Who {
		view.MayDecide = append(view.MayDecide, role.Name)
	}
	if p.Plan != nil && p.Plan.Plan.Status == domain.PlanInProgress && c.TargetType == domain.TargetPlan {
		view.OnReject = domain.OnRejectAbort
		if c.OnReject != "" {
			view.OnReject = c.OnReject
		}
	}
	p.addDecision(&view)
	return view
}

// addDecision offers the decision, or says why there is none to make, or what
// became of it.
func (p *confirmPage) addDecision(view *views.ConfirmView) {
	switch c := p.Confirm; {
	case c.Final() && !c.Imported && len(p.Decisions) > 0:
		view.Receipt = newReceipt(p)
		if p.Receipt {
			view.Self = withQuery(confirmPath(c.ID), encodeSet(url.Values{"from": {p.Query.encode()}, "receipt": {"1"}}))
			view.Next = &views.NextConfirm{Left: p.Left, Cap: pendingCap}
			if p.Next != nil {
				view.Next.URL, view.Next.Label = p.Query.confirm(p.Next.ID), rowLabel(p.Next)
			}
		}
	case c.Imported:
		view.Claim = newClaim(p)
	case p.Content == nil:
		view.Refusals = []string{"The content of this confirm has been forgotten. Only its hash is left."}
	case p.Standing.Undecidable() == nil:
		view.Form = newDecisionForm(p)
	default:
		view.Refusals = refusalSentences(p.Standing.Approve, p.Standing.Reject)
	}
	if p.Standing.Cancel == nil && !p.Confirm.Final() {
		view.Cancel = &views.CancelForm{
			Action: p.Query.under(confirmPath(p.Confirm.ID) + "/cancel"), Label: "Cancel this confirm",
			Hint: "The agent is told that nobody decided. Its plan stays as it is.",
		}
	}
}

// newClaim is what an import says about itself.
func newClaim(p *confirmPage) *views.Claim {
	claim := &views.Claim{Status: string(p.Confirm.Status)}
	for _, d := range p.Claimed {
		claimed := views.ClaimedDecision{Status: d.Status, Role: d.DecidedByRole, Reason: d.Reason}
		if at, err := time.Parse(time.RFC3339Nano, d.DecidedAt); err == nil {
			claimed.At = views.At(at)
		}
		claim.Decisions = append(claim.Decisions, claimed)
	}
	return claim
}

// refusalSentences are the different reasons of several refusals.
func refusalSentences(refused ...error) []string {
	var sentences []string
	for _, err := range refused {
		if sentence := domain.AsError(err).Message; !slices.Contains(sentences, sentence) {
			sentences = append(sentences, sentence)
		}
	}
	return sentences
}

// newDecisionForm is the empty form: nothing is chosen for the reviewer.
func newDecisionForm(p *confirmPage) *views.DecisionForm {
	form := &views.DecisionForm{
		Action: p.Query.under(confirmPath(p.Confirm.ID) + "/decision"), ContentHash: p.Confirm.ContentHash,
		MayApprove: p.Standing.Approve == nil, MayReject: p.Standing.Reject == nil, Presets: presets,
	}
	if err := p.Standing.Approve; err != nil {
		form.MissingApprove = string(domain.AsError(err).Capability)
	}
	if err := p.Standing.Reject; err != nil {
		form.MissingReject = string(domain.AsError(err).Capability)
	}
	for _, action := range p.Content.Actions {
		form.Actions = append(form.Actions, views.ActionInput{
			MayApprove: domain.Allows(&action, domain.ActionApprove), MayEdit: domain.Allows(&action, domain.ActionEdit),
		})
	}
	if form.TooLong = !fitsForm(p.Content.Actions); form.TooLong {
		for i := range form.Actions {
			form.Actions[i].MayEdit = false
		}
	}
	if len(p.Standing.Roles) > 1 {
		form.Roles = []views.Option{{Label: "the role that suffices and allows least"}}
		for _, role := range p.Standing.Roles {
			form.Roles = append(form.Roles, views.Option{Value: role.ID, Label: role.Name})
		}
	}
	return form
}

// fitsForm reports whether a form can hold editors with the arguments of these
// actions. They go with every decision, edited or not: what an agent spreads over
// very many lines must not keep anybody from deciding.
func fitsForm(actions []evidence.Action) bool {
	const rest = maxForm / 8 // for the words of the decision, and what an edit adds
	size := 0
	for _, action := range actions {
		text := views.Editable(views.Indent(string(action.Args)))
		size += len(url.QueryEscape(strings.ReplaceAll(text, "\n", "\r\n")))
	}
	return size <= maxForm-rest
}

// decision is what was decided on the i-th action; nil while pending.
func (p *confirmPage) decision(i int) *domain.ActionDecision {
	if len(p.Decisions) == 0 {
		return nil
	}
	if last := p.Decisions[len(p.Decisions)-1]; i < len(last.Actions) {
		return &last.Actions[i]
	}
	return nil
}

func newAction(a evidence.Action, d *domain.ActionDecision) views.Action {
	action := views.Action{
		Name: a.Name, Args: string(a.Args), ArgsHash: evidence.ArgsHash(a.Args), ToolUseID: a.ToolUseID, Description: a.Description,
	}
	if d != nil {
		action.Decision, action.Message, action.Filled = d.Type, d.Message, d.Filled
		if d.Type == domain.ActionEdit {
			action.EditedArgs, action.ArgsHash = string(d.Args), d.ArgsHash
		}
	}
	return action
}

func newTarget(p *confirmPage) views.Link {
	c := p.Confirm
	switch {
	case c.TargetType == domain.TargetPlan && p.Plan != nil:
		return views.Link{Label: p.Plan.Plan.Title, URL: planPath(c.TargetID), Quoted: true}
	case c.TargetType == domain.TargetContext && p.Context != nil:
		return p.contextLink()
	}
	return views.Link{Label: c.TargetID}
}

func (p *confirmPage) readsContexts() bool {
	return p.Reader.ReadsContexts()
}

func (p *confirmPage) contextLink() views.Link {
	link := views.Link{Label: contextTitle(p.Context), Quoted: true}
	if p.readsContexts() {
		link.URL = contextPath(p.Context.ID)
	}
	return link
}

// newConfirmContext shows the context. The whole of it is for whoever decides
// on a change of it; around a plan, its summary tells what the plan is about.
func newConfirmContext(p *confirmPage) *views.ConfirmContext {
	if p.Context == nil {
		return nil
	}
	view := &views.ConfirmContext{Context: p.contextLink(), Status: p.Context.Status, Summary: contextSummary(p.Context)}
	if p.Confirm.TargetType == domain.TargetContext {
		view.Body = string(p.Context.Native)
		view.Changed = evidence.BytesHash(p.Context.Native) != p.Confirm.TargetHash
	}
	return view
}

// newConfirmPlan shows the plan, with the step that the confirm gates marked.
func newConfirmPlan(p *confirmPage) *views.ConfirmPlan {
	if p.Plan == nil {
		return nil
	}
	c, gated := p.Confirm, gatedSteps(p.Plan.Confirms)
	if c.Binding == domain.BoundStep {
		gated[c.StepID] = true
	}
	view := &views.ConfirmPlan{
		Plan:      views.Link{Label: p.Plan.Plan.Title, URL: planPath(p.Plan.Plan.ID), Quoted: true},
		Objective: p.Plan.Document.Objective, Status: string(p.Plan.Plan.Status),
		Changed: c.TargetHash != p.Plan.Plan.Hash,
		Drawing: p.Drawings.draw(p.Plan, gated), Steps: newPlanSteps(p.Plan, gated, p.Roles),
	}
	for _, step := range p.Plan.Document.Steps {
		if c.Binding == domain.BoundStep && step.ID == c.StepID {
			view.Gated = step.Description
		}
	}
	return view
}

func newRequester(p *confirmPage) views.Requester {
	c := p.Confirm
	view := views.Requester{
		Principal: c.RequestedByName, Kind: string(c.RequestedBy.Kind), Owner: p.OwnerName,
		Registered: c.RoleRegistered, Role: views.Link{Label: c.RequestedByRole, Quoted: !c.RoleRegistered},
	}
	if p.Requester != nil && p.Reader.ReadsRoles() {
		view.Role.URL = rolePath(p.Requester.ID)
	}
	return view
}

// newOutcomeRefs names other confirms of the same matter, with what was said.
func newOutcomeRefs(outcomes []*domain.Outcome) (refs []views.ConfirmRef) {
	for _, o := range outcomes {
		ref := newConfirmRef(o.Confirm)
		ref.Reason = o.Text
		refs = append(refs, ref)
	}
	return refs
}

func newHistory(p *confirmPage) (entries []views.DecisionEntry) {
	for _, d := range p.Decisions {
		entry := views.DecisionEntry{
			Status: string(d.Status), Cause: string(d.Cause), Words: causeWords(d), By: decider(d), Role: d.DecidedByRole,
			At: views.At(d.DecidedAt), Reason: d.Reason, Feedback: d.UserEditContent,
		}
		switch by := domain.Group(d.DecidedBy.String()); {
		case d.Cause != domain.CauseHuman:
		case by == p.Confirm.RequestedGroup:
			entry.Warning = "decided by its own requester, which this server's settings allow"
		case by == p.Maker:
			entry.Warning = "decided by who made the key that requested it, which this server's settings allow"
		}
		entries = append(entries, entry)
	}
	return entries
}

// decider is the name of who decided; the clock has none.
func decider(d *domain.Decision) string {
	if d.DecidedBy.Kind == domain.KindSystem {
		return ""
	}
	return d.DecidedByName
}

// rowLabel names a confirm of a list in a few words.
func rowLabel(row *domain.ConfirmRow) string {
	if len(row.Tools) > 0 {
		return views.ListedTools(row.Tools)
	}
	return views.Heading(listedTitle(row.Title), row.Reason.Text, string(row.TargetType))
}

// listedTitle is as much of a title as a list has of it.
func listedTitle(title string) string { return domain.NewExcerpt(title, 100).String() }

// confirmTitle names a confirm in the window's title.
func confirmTitle(view views.ConfirmView) string {
	if len(view.Actions) == 0 {
		return view.Heading
	}
	return views.ToolNames(view.Tools())
}
