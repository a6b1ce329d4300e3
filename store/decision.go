package store

import (
	"countersign/domain"
)

var decisions = newTable("decisions", 2, func(d *domain.Decision) []column {
	return []column{
		{"requested_seq", number(&d.RequestedSeq)},
		{"number", number(&d.Number)},
		{"decision_id", text(&d.ID)},
		{"status", text(&d.Status)},
		{"cause", text(&d.Cause)},
		{"decided_by", ref(&d.DecidedBy)},
		{"decided_by_name", text(&d.DecidedByName)},
		{"decided_by_role", text(&d.DecidedByRole)},
		{"decided_at", moment(&d.DecidedAt)},
		{"reason", text(&d.Reason)},
		{"user_edit_content", text(&d.UserEditContent)},
		{"intent", text(&d.Intent)},
		{"sent_hash", text(&d.SentHash)},
		{"seq", number(&d.Seq)},
		{"actions", list(&d.Actions)},
		{"role_id", text(&d.RoleID)},
		{"effective_hash", text(&d.EffectiveHash)},
	}
})

func (r *reader) Decisions(requested int64) ([]*domain.Decision, error) {
	return decisions.all(r, "WHERE requested_seq = $1 ORDER BY number", requested)
}

// InsertDecision is called for confirms that were just finished, which they are
// once.
func (x *tx) InsertDecision(d *domain.Decision) error { return decisions.insertNew(x, d) }

// forgetDecision takes out of a decision what agents and reviewers wrote, or what
// repeats the content it was made on. The hashes of arguments stay.
var forgetDecision = decisions.change("", 0, "decided_by_role", "reason", "user_edit_content", "actions")

// forgetLabel is for confirms whose requesting role is none of the server's.
var forgetLabel = confirms.change("", 0, "requested_by_role")

// ForgetContent implements domain.Tx.
func (x *tx) ForgetContent(c *domain.Confirm) error {
	left := *c
	if !c.RoleRegistered {
		left.RequestedByRole = ""
	}
	if err := x.unindex(c, &left); err != nil {
		return err
	}
	if err := confirmContents.remove(x, "requested_seq = $1", c.RequestedSeq); err != nil {
		return err
	}
	made, err := x.Decisions(c.RequestedSeq)
	if err != nil {
		return err
	}
	for _, d := range made {
		d.UserEditContent = ""
		if d.DecidedBy.Kind != domain.KindSystem {
			d.Reason = ""
		}
		if !c.RoleRegistered && d.DecidedByRole == c.RequestedByRole {
			d.DecidedByRole = "" // who withdrew it did so under their label
		}
		for i := range d.Actions {
			d.Actions[i].Name, d.Actions[i].Args, d.Actions[i].Message = "", nil, ""
		}
		if err := forgetDecision.update(x, d, errGone); err != nil {
			return err
		}
	}
	if left.RequestedByRole == c.RequestedByRole {
		return nil
	}
	return forgetLabel.update(x, &left, domain.ErrNotFound)
}
