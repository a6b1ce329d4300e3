package web

import (
	"net/url"
	"strconv"
	"time"

	"countersign/domain"
	"countersign/views"
)

const plansPath = "/plans"

func planPath(id string) string { return plansPath + "/" + url.PathEscape(id) }

func stepAnchor(i int) string { return "step-" + strconv.Itoa(i+1) }

func newPlanRow(plan *domain.PlanRow, now time.Time) views.PlanRow {
	row := views.PlanRow{
		ID: plan.ID, URL: planPath(plan.ID), Title: plan.Title, Status: string(plan.Status), Steps: len(plan.States),
		Pending: plan.Waiting, Poster: plan.Name, Updated: views.Ago(plan.UpdatedAt, now), Import: plan.Imported,
	}
	for i := range plan.States {
		if isDone(plan.States.Status(i)) {
			row.Done++
		}
	}
	return row
}

// newPlanView returns the view of a plan, without what depends on the address.
func newPlanView(d *domain.PlanDetail, drawings *drawingCache, roles rolePaths) views.PlanView {
	gated := gatedSteps(d.Confirms)
	view := views.PlanView{
		ID: d.Plan.ID, Title: d.Plan.Title, Objective: d.Document.Objective, Status: string(d.Plan.Status),
		Context: views.Link{Label: d.Plan.ContextID}, Poster: d.Plan.Name, Created: views.At(d.Plan.CreatedAt), TraceID: d.Plan.TraceID,
		Hash: d.Plan.Hash, Import: d.Plan.Imported, Locked: d.Document.Locked,
		Drawing: drawings.draw(d, gated), Steps: newPlanSteps(d, gated, roles), Confirms: newConfirmRefs(d.Confirms),
	}
	if d.Plan.Status.IsFinal() {
		view.Left = countStepsLeft(d.Plan.States)
	}
	if more := len(view.Confirms) - domain.DefaultPage; more > 0 {
		view.Confirms, view.MoreConfirms = view.Confirms[:domain.DefaultPage], more
	}
	if d.Context != nil {
		view.Context = views.Link{Label: contextTitle(d.Context), URL: contextPath(d.Context.ID), Quoted: true}
	}
	if d.ProposeErr == nil {
		view.ProposeURL = planPath(d.Plan.ID) + "/propose"
	} else if d.Plan.Status == domain.PlanDraft {
		view.ProposeHint = domain.AsError(d.ProposeErr).Message
	}
	if d.CancelErr == nil {
		view.Cancel = newPlanCancel(d.Plan)
	}
	return view
}

// countStepsLeft returns how many steps are neither done nor failed.
func countStepsLeft(states domain.StepStates) (n int) {
	for i := range len(states) {
		if status := states.Status(i); !isDone(status) && status != domain.StepFailed {
			n++
		}
	}
	return n
}

func newPlanCancel(plan *domain.Plan) *views.CancelForm {
	form := &views.CancelForm{Action: planPath(plan.ID) + "/cancel", Label: "Abandon draft", Hint: "The draft ends for good. You cannot undo this."}
	if plan.Status == domain.PlanInProgress {
		form.Label, form.Hint = "Cancel plan", "The plan stops. Its gate answers ABORT, and its pending requests are cancelled."
	}
	return form
}

// gatedSteps returns the ids of the steps that a pending request gates.
func gatedSteps(confirms []*domain.Confirm) map[string]bool {
	gated := map[string]bool{}
	for _, c := range confirms {
		if c.Binding == domain.BoundStep && c.Status == domain.Pending && !c.Imported {
			gated[c.StepID] = true
		}
	}
	return gated
}

// newPlanSteps returns the rows of a plan's table, in the order sent.
func newPlanSteps(d *domain.PlanDetail, gated map[string]bool, roles rolePaths) []views.PlanStep {
	anchors := make(map[string]string, len(d.Document.Steps))
	for i, step := range d.Document.Steps {
		anchors[step.ID] = "#" + stepAnchor(i)
	}
	byStep := map[string][]*domain.Confirm{}
	for _, c := range d.Confirms {
		if c.Binding == domain.BoundStep {
			byStep[c.StepID] = append(byStep[c.StepID], c)
		}
	}
	var rows []views.PlanStep
	for i, step := range d.Document.Steps {
		row := views.PlanStep{
			Number: i + 1, ID: step.ID, Anchor: stepAnchor(i), Description: step.Description, Status: string(d.Plan.States.Status(i)),
			AgentRole: roles.link(step.AgentRole), Gated: gated[step.ID], Critical: d.Plan.States.Critical(i),
			Confirms: newConfirmRefs(byStep[step.ID]),
		}
		for _, dependency := range step.Dependencies {
			row.DependsOn = append(row.DependsOn, views.Link{Label: dependency, URL: anchors[dependency]})
		}
		rows = append(rows, row)
	}
	return rows
}

// newConfirmRefs returns links to related requests.
func newConfirmRefs(confirms []*domain.Confirm) (refs []views.ConfirmRef) {
	for _, c := range confirms {
		refs = append(refs, newConfirmRef(c))
	}
	return refs
}

func newConfirmRef(c *domain.Confirm) views.ConfirmRef {
	when := c.DecidedAt
	if when.IsZero() {
		when = c.ReceivedAt
	}
	return views.ConfirmRef{ID: c.ID, URL: confirmPath(c.ID), Status: shownStatus(c), Cause: string(c.Cause), When: views.At(when)}
}
