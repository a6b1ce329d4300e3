package web

import (
	"encoding/json"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"

	"countersign/domain"
	"countersign/domain/evidence"
	"countersign/domain/reading"
	"countersign/views"
)

// presets are the suggested reasons.
var presets = []string{"As agreed", "Not now", "Wrong target", "Too much at once"}

// newConfirmView returns everything a reviewer needs to decide, in words for people.
func newConfirmView(p *confirmPage) views.ConfirmView {
	c := p.Confirm
	view := views.ConfirmView{
		Self: p.Filter.confirmURL(c.ID), BackURL: p.Filter.url(), ID: c.ID, Status: shownStatus(c), Cause: string(c.Cause),
		TargetType: string(c.TargetType), Target: newTarget(p), TargetID: c.TargetID,
		Requester: newRequester(p), ReceivedAt: views.At(c.ReceivedAt), Deadline: views.Until(c.ExpiresAt, p.Now), ExpiresAt: views.At(c.ExpiresAt),
		ContentHash: c.ContentHash, TraceID: c.TraceID, SpanID: c.SpanID, SessionID: c.SessionID, MessageID: c.MessageID,
		ApprovalKey: c.ApprovalKey, Import: c.Imported, Unbound: c.Binding == domain.BoundUnknown, Locked: c.Locked,
		AllOrNone: c.Binding != domain.BoundNone, Plan: newConfirmPlan(p), Context: newConfirmContext(p),
		Forgotten: p.Content == nil, Supersedes: newOutcomeRefs(p.Earlier), SupersededBy: newOutcomeRefs(p.Later), History: newHistory(p), JustDecided: p.Receipt,
	}
	view.Told = newTold(p)
	view.TraceURL, view.Evidence = traceURL(p.Reader, c.TraceID), newConfirmEvidence(p)
	if p.Content != nil {
		view.Reason, view.ContentURL = p.Content.Reason, contentPath(c.ID)
		if at, err := time.Parse(time.RFC3339Nano, p.Content.RequestedAt); err == nil {
			view.RequestedAt = views.At(at)
		}
		for i, action := range p.Content.Actions {
			shown := newAction(action, p.decision(i))
			shown.Reading = p.read(action.Args, argsSchema(action))
			shown.URL = contentPath(c.ID) + "?action=" + strconv.Itoa(i+1)
			view.Actions = append(view.Actions, shown)
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
	for _, role := range p.Rights.Who {
		view.MayDecide = append(view.MayDecide, role.Name)
	}
	if p.Plan != nil && p.Plan.Plan.Status == domain.PlanInProgress && c.TargetType == domain.TargetPlan {
		view.OnReject = domain.OnRejectAbort
		if c.OnReject != "" {
			view.OnReject = c.OnReject
		}
	}
	p.addDecision(&view)
	p.addVoting(&view)
	p.addFindings(&view, nil)
	view.Before = newPrecedents(p)
	return view
}

// addDecision adds the form of the decision, or why there is none, or the receipt.
func (p *confirmPage) addDecision(view *views.ConfirmView) {
	switch c := p.Confirm; {
	case c.IsFinal() && !c.Imported && len(p.Decisions) > 0:
		view.Receipt = newReceipt(p)
	case c.Imported:
		view.Claim = newClaim(p)
	case p.Content == nil:
		view.Refusals = []string{"The content of this request was deleted. Only its hash is left."}
	case p.Rights.CannotDecide() == nil:
		view.Form = newDecisionForm(p)
	default:
		view.Refusals = refusalSentences(p.Rights.Approve, p.Rights.Reject)
	}
	if p.Receipt {
		view.Self = p.Filter.receiptURL(p.Confirm.ID, p.Again)
		view.Next = &views.NextConfirm{Left: p.Left, Cap: maxPendingCount}
		if p.Next != nil {
			view.Next.URL, view.Next.Label = p.Filter.confirmURL(p.Next.ID), rowLabel(p.Next)
		}
	}
	if p.Rights.Cancel == nil && !p.Confirm.IsFinal() {
		view.Cancel = &views.CancelForm{
			Action: p.Filter.addTo(confirmPath(p.Confirm.ID) + "/cancel"), Label: "Cancel this request",
			Hint: "The agent learns that nobody decided. Its plan stays as it is.",
		}
	}
}

// newClaim returns what an import says about itself.
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

// refusalSentences returns the different reasons of several refusals.
func refusalSentences(refused ...error) []string {
	var sentences []string
	for _, err := range refused {
		if sentence := domain.AsError(err).Message; !slices.Contains(sentences, sentence) {
			sentences = append(sentences, sentence)
		}
	}
	return sentences
}

// newDecisionForm returns the empty form: nothing is chosen for the reviewer.
func newDecisionForm(p *confirmPage) *views.DecisionForm {
	form := &views.DecisionForm{
		Action: p.Filter.addTo(confirmPath(p.Confirm.ID) + "/decision"), ContentHash: p.Confirm.ContentHash,
		MayApprove: p.Rights.Approve == nil, MayReject: p.Rights.Reject == nil, Presets: presets,
	}
	if err := p.Rights.Approve; err != nil {
		form.MissingApprove = string(domain.AsError(err).Capability)
	}
	if err := p.Rights.Reject; err != nil {
		form.MissingReject = string(domain.AsError(err).Capability)
	}
	editors := p.editors()
	for i, action := range p.Content.Actions {
		edit := argsEdit{action: action, editor: editors[i], index: i}
		form.Actions = append(form.Actions, views.ActionInput{
			MayApprove: domain.AcceptsDecision(&action, domain.ActionApprove), MayEdit: domain.AcceptsDecision(&action, domain.ActionEdit),
			Fields: edit.view(nil),
		})
	}
	if form.TooLong = !fitsForm(p.Content.Actions); form.TooLong {
		for i := range form.Actions {
			form.Actions[i].MayEdit = false
		}
	}
	if len(p.Rights.Roles) > 1 {
		form.Roles = []views.Option{{Label: "Automatic: your least powerful role that may decide"}}
		for _, role := range p.Rights.Roles {
			form.Roles = append(form.Roles, views.Option{Value: role.ID, Label: role.Name})
		}
	}
	return form
}

// formRest is the room in a posted form for the words of the decision, and for what an
// edit adds.
const formRest = maxForm / 8

// fitsForm reports whether a form can hold editors with the arguments of these
// actions. They go with every decision, edited or not: what an agent spreads over
// very many lines must not keep anybody from deciding.
func fitsForm(actions []evidence.Action) bool { return argsSize(actions) <= maxForm-formRest }

// argsSize returns the size of these arguments in a posted form, in bytes.
func argsSize(actions []evidence.Action) (size int) {
	for _, action := range actions {
		text := views.Editable(views.Indent(string(action.Args)))
		size += len(url.QueryEscape(strings.ReplaceAll(text, "\n", "\r\n")))
	}
	return size
}

// decision returns the decision on the i-th action, nil while the request is pending.
func (p *confirmPage) decision(i int) *domain.ActionDecision {
	if len(p.Decisions) == 0 || !p.Confirm.IsFinal() && !p.Confirm.Imported {
		return nil // there may be votes
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
	if before, after := domain.PolicyStates(&a); before != nil && after != nil {
		action.Before, action.After = string(before), string(after)
	}
	if d != nil {
		action.Decision, action.Message, action.Filled = d.Type, d.Message, d.Filled
		if d.Type == domain.ActionEdit {
			action.EditedArgs, action.ArgsHash = string(d.Args), d.ArgsHash
		}
	}
	return action
}

// isGeneratedTarget reports whether the target's id is most likely one that the server
// made: it tells nobody anything.
func isGeneratedTarget(c *domain.Confirm) bool {
	return c.TargetType == domain.TargetOther && uuid.Validate(c.TargetID) == nil
}

func newTarget(p *confirmPage) views.Link {
	c := p.Confirm
	switch {
	case c.TargetType == domain.TargetPlan && p.Plan != nil:
		return views.Link{Label: p.Plan.Plan.Title, URL: planPath(c.TargetID), Quoted: true}
	case c.TargetType == domain.TargetContext && p.Context != nil:
		return p.contextLink()
	}
	if isGeneratedTarget(c) {
		return views.Link{}
	}
	return views.Link{Label: c.TargetID}
}

func (p *confirmPage) readsContexts() bool {
	return p.Reader.CanReadContexts()
}

// seesContext reports whether the reader sees what the context says: whoever decides has
// to know what about.
func (p *confirmPage) seesContext() bool {
	return p.readsContexts() || p.Rights.CannotDecide() == nil
}

func (p *confirmPage) contextLink() views.Link {
	link := views.Link{Label: contextTitle(p.Context), Quoted: true}
	if p.readsContexts() {
		link.URL = contextPath(p.Context.ID)
	}
	return link
}

// read returns JSON as rows, nil for what is no JSON.
func (p *confirmPage) read(text, schema []byte) *reading.Reading {
	value, err := reading.Parse(text)
	if err != nil {
		return nil
	}
	rows := reading.Of(value, reading.Options{Now: p.Now, Schema: schema})
	return &rows
}

// argsSchema returns the JSON Schema that the agent sent for an action's arguments, if
// any.
func argsSchema(a evidence.Action) []byte {
	var config struct {
		Schema json.RawMessage `json:"args_schema"`
	}
	if json.Unmarshal(a.ReviewConfig, &config) != nil {
		return nil
	}
	return config.Schema
}

// newConfirmContext shows the context: all of it, or to others its summary.
func newConfirmContext(p *confirmPage) *views.ConfirmContext {
	if p.Context == nil {
		return nil
	}
	view := &views.ConfirmContext{Context: p.contextLink(), Status: p.Context.Status, Summary: contextSummary(p.Context)}
	view.Closed = !p.seesContext()
	if p.Confirm.TargetType == domain.TargetContext || !view.Closed {
		view.Reading = p.read(p.Context.Native, nil)
	}
	if p.Confirm.TargetType == domain.TargetContext {
		view.Changed = evidence.HashBytes(p.Context.Native) != p.Confirm.TargetHash
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
	if p.Before != nil {
		view.Record = newRecord(p.Before.Requester)
	}
	if p.Requester != nil && p.Reader.CanReadRoles() {
		view.Role.URL = rolePath(p.Requester.ID)
	}
	return view
}

// newOutcomeRefs returns links to related requests, with the reasons of their decisions.
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
			Status: string(d.Status), Cause: string(d.Cause), Words: p.causeWords(d), By: decider(d), Role: d.DecidedByRole,
			At: views.At(d.DecidedAt), Reason: d.Reason, Feedback: d.UserEditContent,
		}
		if vote := p.voteOf(d); vote != nil {
			entry.Words, entry.Marks = "voted", p.voteMarks(vote)
		}
		switch by := domain.Group(d.DecidedBy.String()); {
		case d.Cause != domain.CauseHuman:
		case by == p.Confirm.RequestedGroup:
			entry.Warning = "decided by its own requester, as this server's settings allow"
		case by == p.KeyCreator:
			entry.Warning = "decided by the creator of the requesting key, as this server's settings allow"
		}
		entries = append(entries, entry)
	}
	return entries
}

// decider returns the name of who decided, "" for the clock.
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

// listedTitle returns the beginning of a title, as lists show it.
func listedTitle(title string) string { return domain.NewExcerpt(title, 100).String() }

// confirmTitle names a confirm in the window's title.
func confirmTitle(view views.ConfirmView) string {
	if len(view.Actions) == 0 {
		return view.Heading
	}
	return views.ToolNames(view.Tools())
}
