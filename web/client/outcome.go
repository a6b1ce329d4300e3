package client

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
)

// Outcome is what became of a request.
type Outcome struct {
	ConfirmID string `json:"confirm_id"`
	Status    string `json:"status"` // pending, approved, rejected, cancelled, unsubstantiated
	// Cause is human, agent, timeout, cancelled, policy or import.
	Cause           string     `json:"cause"`
	ContentHash     string     `json:"content_hash"`
	EffectiveHash   string     `json:"effective_hash"`
	Decisions       []Decision `json:"decisions"` // one for each action
	Reason          string     `json:"reason"`
	UserEditContent string     `json:"user_edit_content"`
	DecidedByRole   string     `json:"decided_by_role"`
	DecidedAt       string     `json:"decided_at"`
	ExpiresAt       string     `json:"expires_at"`

	Raw json.RawMessage `json:"-"` // the whole answer
}

// Decision is what was decided on one action.
type Decision struct {
	Type         string        `json:"type"` // approve, edit or reject
	EditedAction *EditedAction `json:"edited_action"`
	ArgsHash     string        `json:"args_hash"` // of the effective arguments
	Message      string        `json:"message"`
}

// EditedAction is an action as it was approved.
type EditedAction struct {
	Name string          `json:"name"`
	Args json.RawMessage `json:"args"`
}

// isFinal reports whether there is a decision. Only an outcome has a hash.
func (o *Outcome) isFinal() bool {
	return o.ContentHash != "" && o.Status != "pending"
}

// IsApproved reports whether every action was approved, as asked or edited.
func (o *Outcome) IsApproved() bool { return o.Status == "approved" }

// IsTimeout reports whether nobody decided in time.
func (o *Outcome) IsTimeout() bool { return o.Status == "rejected" && o.Cause == "timeout" }

// EffectiveArgs returns the arguments that one action was approved with: the edited
// ones, or those that were asked for. It fails unless that action was approved.
func (o *Outcome) EffectiveArgs(action int, asked json.RawMessage) (json.RawMessage, error) {
	if o.Status != "approved" || action < 0 || action >= len(o.Decisions) {
		return nil, errors.New(o.Words())
	}
	switch d := o.Decisions[action]; {
	case d.Type == "approve":
		return asked, nil
	case d.Type == "edit" && d.EditedAction != nil && len(d.EditedAction.Args) > 0:
		return d.EditedAction.Args, nil
	}
	return nil, errors.New("the answer approves the request, but not this action")
}

// Words returns the outcome in a sentence, fit to hand to a model.
func (o *Outcome) Words() string {
	reason := ""
	for _, d := range o.Decisions {
		reason = cmp.Or(reason, d.Message)
	}
	reason = cmp.Or(reason, o.Reason)
	decided := o.Cause == "human" || o.Cause == "agent"
	switch {
	case o.Status == "approved" && decided && reason != "":
		return fmt.Sprintf("Approved by %s: %s", o.DecidedByRole, reason)
	case o.Status == "approved" && decided:
		return fmt.Sprintf("Approved by %s.", o.DecidedByRole)
	case o.Status == "rejected" && decided && reason != "":
		return fmt.Sprintf("Rejected by %s: %s", o.DecidedByRole, reason)
	case o.Status == "rejected" && decided:
		return fmt.Sprintf("Rejected by %s, without a reason.", o.DecidedByRole)
	}
	return cmp.Or(o.Reason, fmt.Sprintf("The request is %s.", o.Status))
}
