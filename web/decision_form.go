package web

import (
	"encoding/json"
	"errors"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"countersign/domain"
	"countersign/domain/evidence"
	"countersign/domain/mplp"
	"countersign/views"
)

// What the button of a decision says (API "Browser forms").
const (
	decideApprove = "approve"
	decideReject  = "reject"
	decideChanges = "request_changes"
	decideEdit    = "edit"
	decideEach    = "decide"
)

// implied is the decision on every action that a button stands for.
var implied = map[string]string{
	decideApprove: domain.ActionApprove, decideReject: domain.ActionReject,
	decideChanges: domain.ActionReject, decideEdit: domain.ActionEdit,
}

// decision is a form that was understood.
type decision struct {
	domain.DecisionInput
	Edits     []json.RawMessage // parallel to the actions; nil where one is not edited
	Confirmed string            // effective hash of the edit that the reviewer has seen
}

// edits says whether any arguments are replaced.
func (d *decision) edits() bool {
	return slices.ContainsFunc(d.Edits, func(args json.RawMessage) bool { return args != nil })
}

// needs says which kinds of decision are made.
func (d *decision) needs() (approves, rejects bool) {
	approves, rejects = d.Status == domain.Approved, d.Status == domain.Rejected
	for _, a := range d.Actions {
		approves = approves || a.Type != domain.ActionReject
		rejects = rejects || a.Type == domain.ActionReject
	}
	return approves, rejects
}

// readDecision understands a posted decision, or says what is wrong with which
// field. A form that contradicts itself decides nothing.
func readDecision(form url.Values, actions []evidence.Action) (*decision, views.Errors) {
	text := func(name string) string { return strings.ReplaceAll(form.Get(name), "\r\n", "\n") }
	d := &decision{Edits: make([]json.RawMessage, len(actions)), Confirmed: form.Get("confirmed")}
	d.ContentHash, d.DecidedByRole = form.Get("content_hash"), form.Get("decided_by_role")
	d.Reason, d.UserEditContent = strings.TrimSpace(text("reason")), strings.TrimSpace(text("user_edit_content"))
	button, wrong := form.Get("decision"), views.Errors{}
	if why := malformed(form, len(actions)); why != "" {
		wrong[""] = why
		return nil, wrong
	}
	switch {
	case button != decideEach && implied[button] == "":
		wrong[""] = "Choose what to decide."
	case len(actions) == 0 && (button == decideEdit || button == decideEach):
		wrong[""] = "There are no arguments to decide on one by one: approve or reject."
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
		d.Actions = append(d.Actions, d.readAction(form, i, action, wrong))
	}
	if len(wrong) > 0 {
		return nil, wrong
	}
	return d, nil
}

// malformed finds what no page of ours sends: a field twice, or a decision on
// an action that is not there. Choosing among them would be a guess.
func malformed(form url.Values, actions int) string {
	for _, name := range slices.Sorted(maps.Keys(form)) {
		if len(form[name]) > 1 {
			return "The field " + name + " was sent more than once."
		}
		number, ok := strings.CutPrefix(name, "action_")
		if !ok {
			number, ok = strings.CutPrefix(name, "args_")
		}
		if !ok {
			continue
		}
		if i, err := strconv.Atoi(number); err != nil || i < 0 || i >= actions || strconv.Itoa(i) != number {
			return "There is no action for the field " + name + "."
		}
	}
	return ""
}

// readAction understands the decision on one action and notes what is wrong.
func (d *decision) readAction(form url.Values, i int, action evidence.Action, wrong views.Errors) mplp.ActionDecision {
	field, argsField := "action_"+strconv.Itoa(i), "args_"+strconv.Itoa(i)
	button, choice := form.Get("decision"), form.Get(field)
	switch meant := implied[button]; {
	case choice != "" && choice != domain.ActionApprove && choice != domain.ActionReject && choice != domain.ActionEdit:
		wrong[field] = "Choose approve, reject or edit."
	case button == decideEach && choice == "":
		wrong[field] = "Decide on this action too."
	case meant != "" && choice != "" && choice != meant:
		wrong[field] = "You chose " + choice + " here, and the button says " + meant + ". Nothing was decided."
	case choice == "":
		choice = meant
	}
	if choice != "" && !domain.Allows(&action, choice) {
		wrong[field] = "The agent does not accept " + choice + " for this action."
	}
	decided := mplp.ActionDecision{Type: choice}
	sent, there := form[argsField]
	if choice == domain.ActionEdit {
		args, why := editedArgs(strings.Join(sent, ""), action.Args)
		if why != "" {
			wrong[argsField] = why
		}
		decided.Name, decided.Args, d.Edits[i] = action.Name, args, args
	} else if there && !sameArgs(sent[0], action.Args) {
		wrong[argsField] = "You changed these arguments without choosing Edit. Choose Edit, or undo the change."
	}
	return decided
}

// editedArgs compacts what the reviewer wrote, or says why it cannot run.
func editedArgs(text string, original []byte) (args []byte, why string) {
	args, err := mplp.Compact([]byte(text))
	var syntax *mplp.SyntaxError
	switch {
	case strings.TrimSpace(text) == "":
		return nil, "Write the arguments that may run instead."
	case errors.As(err, &syntax):
		return nil, "This is not acceptable JSON: " + syntax.Message
	case err != nil:
		return nil, "This is not acceptable JSON."
	case args[0] != '{':
		return nil, "Arguments are a JSON object: { … }."
	case same(args, original):
		return nil, "This edit changes nothing. Change the arguments, or choose Approve."
	}
	return args, ""
}

// sameArgs says whether only white space differs.
func sameArgs(text string, original []byte) bool {
	args, err := mplp.Compact([]byte(text))
	return err == nil && same(args, original)
}

// same says whether arguments are the original ones, or those that the editor
// showed for them.
func same(args, original []byte) bool {
	return string(args) == string(original) || string(args) == views.Editable(string(original))
}

// keep puts into the form what the reviewer had sent. Arguments that they had
// changed are in sight, whatever they had chosen.
func keep(form *views.DecisionForm, actions []evidence.Action, sent url.Values, wrong views.Errors) {
	form.Reason, form.Feedback = sent.Get("reason"), sent.Get("user_edit_content")
	form.Editing, form.Errors = sent.Get("decision") == decideEdit, wrong
	for i := range form.Actions {
		form.Actions[i].Chosen = sent.Get("action_" + strconv.Itoa(i))
		args := sent.Get("args_" + strconv.Itoa(i))
		form.Actions[i].Args, form.Actions[i].Changed = args, args != "" && !sameArgs(args, actions[i].Args)
	}
	for i := range form.Roles {
		form.Roles[i].Selected = form.Roles[i].Value == sent.Get("decided_by_role")
	}
}
