package web

import (
	"encoding/json"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"countersign/domain"
	"countersign/domain/finding"
	"countersign/domain/reading"
	"countersign/views"
)

const (
	maxListed = 5 // findings that the page lists; the others stand in their rows
	maxStops  = 3 // findings to acknowledge; more would be ticked unread
)

// findings returns what the rules find in a pending request. edits are parallel to the
// actions and replace the arguments of those that are not nil; nil edits none.
func (p *confirmPage) findings(edits []json.RawMessage) []finding.Finding {
	if p.Content == nil || p.Confirm.IsFinal() || p.Confirm.Imported {
		return nil
	}
	r := &finding.Request{Reason: p.Content.Reason, Plan: p.findingPlan(), Facts: p.Facts, Now: p.Now}
	if p.Before != nil {
		r.Earlier = p.Before.Earlier()
	}
	if p.Context != nil && p.seesContext() {
		r.Context = strings.TrimSpace(p.Context.Title + "\n" + contextSummary(p.Context))
	}
	for i, action := range p.Content.Actions {
		args := action.Args
		if edits != nil && edits[i] != nil {
			args = edits[i]
		}
		// Whatever is stored was read as JSON before; a value that is not has no findings.
		value, _ := reading.Parse(args)
		r.Actions = append(r.Actions, finding.Action{Name: action.Name, Description: action.Description, Args: value})
	}
	found := finding.Of(r)
	stops := 0
	for i := range found {
		if found[i].Level != finding.Stop {
			continue
		}
		if stops++; stops > maxStops {
			found[i].Level = finding.Look
		}
	}
	return found
}

func (p *confirmPage) findingPlan() *finding.Plan {
	if p.Plan == nil {
		return nil
	}
	plan := &finding.Plan{Title: p.Plan.Plan.Title, Objective: p.Plan.Document.Objective}
	if p.Confirm.Binding == domain.BoundStep {
		plan.Current = p.Confirm.StepID
	}
	for _, step := range p.Plan.Document.Steps {
		plan.Steps = append(plan.Steps, finding.Step{ID: step.ID, Description: step.Description})
	}
	return plan
}

// shownFindings are those of the page, for the log.
func (p *confirmPage) shownFindings() (shown []domain.ShownFinding) {
	for _, f := range p.findings(nil) {
		shown = append(shown, domain.ShownFinding{Kind: f.Kind, Level: f.Level, Action: f.Action, Pointer: f.Pointer})
	}
	return shown
}

// ackKey names a finding in a form. The server computes it again from the content.
func ackKey(f finding.Finding) string {
	return string(f.Kind) + " " + strconv.Itoa(f.Action) + " " + f.Pointer
}

const ackField = "ack_"

// unacknowledged returns an error for each grave finding that an approval does not
// acknowledge. A rejected action needs none, and neither does an edit that removes it.
func (p *confirmPage) unacknowledged(in *decision, form url.Values) views.Errors {
	if approves, _ := in.needs(); !approves {
		return nil
	}
	sent, wrong := sentAcks(form), views.Errors{}
	left := map[string]bool{}
	for _, f := range p.findings(in.Edits) {
		left[ackKey(f)] = f.Action < 0 || in.Actions[f.Action].Type != domain.ActionReject
	}
	for i, f := range graveOnes(p.findings(nil)) {
		if left[ackKey(f)] && !slices.Contains(sent, ackKey(f)) {
			wrong[ackField+strconv.Itoa(i)] = "Tick this before you approve."
		}
	}
	if len(wrong) == 0 {
		return nil
	}
	wrong[""] = "Nothing was decided yet. Look at what is marked, tick it, and approve again."
	return wrong
}

// graveOnes are the findings to acknowledge.
func graveOnes(found []finding.Finding) (grave []finding.Finding) {
	for _, f := range found {
		if f.Level == finding.Stop {
			grave = append(grave, f)
		}
	}
	return grave
}

func sentAcks(form url.Values) (keys []string) {
	for name, values := range form {
		if strings.HasPrefix(name, ackField) {
			keys = append(keys, values...)
		}
	}
	return keys
}

// addFindings puts what was found on the page: the graver ones in the list, and each in
// its row if it has one. What has to be acknowledged is ticked there.
func (p *confirmPage) addFindings(view *views.ConfirmView, acks []string) {
	stops := 0
	view.AtRows = map[int]map[string][]views.Finding{}
	rows := make([]func(string) string, len(view.Actions))
	nearest := func(f finding.Finding) string {
		if rows[f.Action] == nil {
			rows[f.Action] = view.Actions[f.Action].Reading.Nearest()
		}
		return rows[f.Action](f.Pointer)
	}
	for _, f := range p.findings(nil) {
		shown := views.Finding{Level: string(f.Level), Says: f.Says, Here: f.Here, There: f.There, Where: f.Where, Action: f.Action}
		if f.Where == finding.InRequest {
			shown.There, shown.Where, shown.URLThere = "", "", p.Filter.confirmURL(f.There)
		}
		if f.Level == finding.Stop {
			shown.Field, shown.Key = ackField+strconv.Itoa(stops), ackKey(f)
			shown.Acknowledged = slices.Contains(acks, shown.Key)
			stops++
		}
		if f.Action >= 0 && view.Actions[f.Action].Reading != nil {
			shown.AtRow, shown.URL = true, "#"+views.RowID(views.ArgsID(f.Action), nearest(f))
			if view.AtRows[f.Action] == nil {
				view.AtRows[f.Action] = map[string][]views.Finding{}
			}
			view.AtRows[f.Action][f.Pointer] = append(view.AtRows[f.Action][f.Pointer], shown)
		}
		switch {
		case f.Level == finding.Note && shown.AtRow:
		case len(view.Findings) < maxListed:
			view.Findings = append(view.Findings, shown)
		default:
			view.MoreFindings++
		}
	}
}
