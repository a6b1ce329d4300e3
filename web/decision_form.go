package web

import (
	"encoding/json"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"countersign/domain"
	"countersign/domain/evidence"
	"countersign/domain/mplp"
	"countersign/views"
	"countersign/web/argsform"
)

// The values of the decision buttons.
const (
	decideApprove = "approve"
	decideReject  = "reject"
	decideChanges = "request_changes"
	decideEdit    = "edit"
	decideEach    = "decide"
)

// implied is what each button decides on every action.
var implied = map[string]string{
	decideApprove: domain.ActionApprove, decideReject: domain.ActionReject,
	decideChanges: domain.ActionReject, decideEdit: domain.ActionEdit,
}

// decision is a form that was read.
type decision struct {
	domain.DecisionInput
	Edits     []json.RawMessage // parallel to the actions; nil where one is not edited
	Confirmed string            // effective hash of the edit that the reviewer has seen
	Misfits   [][]string        // parallel to the actions: rules of the agent's schema that an edit breaks
}

// edits reports whether any arguments are replaced.
func (d *decision) edits() bool {
	return slices.ContainsFunc(d.Edits, func(args json.RawMessage) bool { return args != nil })
}

// needs reports which kinds of decision the form makes.
func (d *decision) needs() (approves, rejects bool) {
	approves, rejects = d.Status == domain.Approved, d.Status == domain.Rejected
	for _, a := range d.Actions {
		approves = approves || a.Type != domain.ActionReject
		rejects = rejects || a.Type == domain.ActionReject
	}
	return approves, rejects
}

// readDecision reads a posted decision, or returns what is wrong with which field. A form
// that contradicts itself decides nothing.
func readDecision(form url.Values, actions []evidence.Action, editors []*argsform.Form) (*decision, views.Errors) {
	text := func(name string) string { return strings.ReplaceAll(form.Get(name), "\r\n", "\n") }
	d := &decision{Edits: make([]json.RawMessage, len(actions)), Misfits: make([][]string, len(actions)), Confirmed: form.Get("confirmed")}
	d.ContentHash, d.DecidedByRole = form.Get("content_hash"), form.Get("decided_by_role")
	d.Reason, d.UserEditContent = strings.TrimSpace(text("reason")), strings.TrimSpace(text("user_edit_content"))
	button, wrong := form.Get("decision"), views.Errors{}
	if why := malformed(form, len(actions), editors); why != "" {
		wrong[""] = why
		return nil, wrong
	}
	switch {
	case button != decideEach && implied[button] == "":
		wrong[""] = "Choose what to decide."
	case len(actions) == 0 && (button == decideEdit || button == decideEach):
		wrong[""] = "This request has no actions to decide one by one. Choose approve or reject."
	}
	if button == decideChanges {
		d.Intent = domain.IntentRequestChanges
		if d.Reason == "" {
			d.Reason = d.UserEditContent
		}
		if d.Reason == "" {
			wrong["reason"] = "Say what has to change."
		}
	}
	if len(actions) == 0 {
		d.Status = domain.Rejected
		if button == decideApprove {
			d.Status = domain.Approved
		}
	}
	for i, action := range actions {
		d.Actions = append(d.Actions, d.readAction(form, i, action, editors[i], wrong))
	}
	if len(wrong) > 0 {
		return nil, wrong
	}
	return d, nil
}

// malformed finds what no page of ours sends: a field twice, or a decision on
// an action that is not there. Choosing among them would be a guess.
func malformed(form url.Values, actions int, editors []*argsform.Form) string {
	for _, name := range slices.Sorted(maps.Keys(form)) {
		if len(form[name]) > 1 {
			return "The field " + name + " was sent more than once."
		}
		kind, number, _ := strings.Cut(name, "_")
		switch kind {
		case "action", "args", "unfit":
			if _, ok := indexBelow(actions, number); !ok {
				return "There is no action for the field " + name + "."
			}
		case "field":
			number, input, _ := strings.Cut(number, "_")
			i, ok := indexBelow(actions, number)
			if ok && editors[i] != nil {
				_, ok = indexBelow(editors[i].Fields(), input)
			} else {
				ok = false
			}
			if !ok {
				return "There is no argument for the field " + name + "."
			}
		}
	}
	return ""
}

// indexBelow parses an index below n, in the form that the pages write.
func indexBelow(n int, text string) (int, bool) {
	i, err := strconv.Atoi(text)
	return i, err == nil && i >= 0 && i < n && strconv.Itoa(i) == text
}

// readAction reads the decision on one action, and adds what is wrong with it.
func (d *decision) readAction(form url.Values, i int, action evidence.Action, editor *argsform.Form, wrong views.Errors) mplp.ActionDecision {
	field := "action_" + strconv.Itoa(i)
	button, choice := form.Get("decision"), form.Get(field)
	switch meant := implied[button]; {
	case choice != "" && choice != domain.ActionApprove && choice != domain.ActionReject && choice != domain.ActionEdit:
		wrong[field] = "Choose approve, reject or edit."
	case button == decideEach && choice == "":
		wrong[field] = "Decide on this action too."
	case meant != "" && choice != "" && choice != meant:
		wrong[field] = "You chose " + choice + " here, but the button says " + meant + ". Nothing was decided."
	case choice == "":
		choice = meant
	}
	if choice != "" && !domain.AcceptsDecision(&action, choice) {
		wrong[field] = "The agent does not accept " + choice + " for this action."
	}
	decided := mplp.ActionDecision{Type: choice}
	edit := argsEdit{form: form, action: action, editor: editor, index: i, wrong: wrong}
	if choice == domain.ActionEdit {
		args := edit.read()
		decided.Name, decided.Args, d.Edits[i], d.Misfits[i] = action.Name, args, args, edit.misfits
	} else if name := edit.changed(); name != "" {
		wrong[name] = "You changed these arguments without choosing Edit. Choose Edit, or undo the change."
	}
	return decided
}

// refillForm fills the form with what the reviewer sent. Changed arguments are shown,
// whatever was chosen.
func refillForm(form *views.DecisionForm, p *confirmPage, sent url.Values, wrong views.Errors) {
	editors := p.editors()
	form.Reason, form.Feedback = sent.Get("reason"), sent.Get("user_edit_content")
	form.Editing, form.Errors = sent.Get("decision") == decideEdit, wrong
	for i := range form.Actions {
		form.Actions[i].Chosen = sent.Get("action_" + strconv.Itoa(i))
		input, edit := &form.Actions[i], argsEdit{form: sent, action: p.actions()[i], editor: editors[i], index: i}
		input.Args, input.Changed = sent.Get(edit.json()), edit.changed() != ""
		input.ChangedJSON, input.Fields = edit.changesJSON(), edit.view(wrong)
		input.Misfit, input.Unfit = wrong[edit.unfit()] != "", sent.Get(edit.unfit()) != ""
	}
	for i := range form.Roles {
		form.Roles[i].Selected = form.Roles[i].Value == sent.Get("decided_by_role")
	}
}
