package domain

import (
	"errors"
	"regexp"
	"strings"

	"countersign/domain/evidence"
)

// plainTool matches names of tools that are repeated in messages. Agents choose them, and
// in other people's programs they must not be more than a name.
var plainTool = regexp.MustCompile(`^[A-Za-z0-9_.:-]{1,64}$`)

// message makes what a delivery says from its entry, nil if the log does not prove one.
func (d *Delivery) message(r Reader, to *Destination, e *evidence.Entry) (*Message, error) {
	m := &Message{ID: d.ID, Type: d.Type, At: d.CreatedAt, Path: "/confirms", LogIndex: d.Seq, IsMissed: d.IsMissed, Details: to.Details}
	if d.Type == MessageTest {
		return m, nil
	}
	if e == nil || e.Type != d.Type || e.ConfirmID != d.ConfirmID {
		return nil, errUnproven("The log has no such entry, so nobody is told of it.")
	}
	m.At, m.Path, m.ObjectID = e.At, "/log", e.ObjectID
	if e.PlanID != "" {
		m.Path, m.ObjectID = "/plans/"+e.PlanID, e.PlanID
	}
	if e.ConfirmID == "" {
		return m, nil
	}
	m.Path, m.ObjectID = "/confirms/"+e.ConfirmID, ""
	c, err := provenConfirm(r, e.ConfirmID)
	if err != nil {
		return nil, err
	}
	m.Confirm = &MessageConfirm{ID: e.ConfirmID, Status: statusAfter(e.Type), Cause: Cause(e.Cause), ContentHash: e.ContentHash, EffectiveHash: e.EffectiveHash}
	if c.RequestedGroup == "" {
		return m, nil
	}
	m.Confirm.TargetType, m.Confirm.ExpiresAt = c.TargetType, c.ExpiresAt
	return m, m.Confirm.addDetails(r, c, to)
}

// statusAfter returns the status of a request after an entry of this type.
func statusAfter(entry string) Status {
	_, event, _ := strings.Cut(entry, ".")
	switch s := Status(event); s {
	case Rejected, Cancelled:
		return s
	case Approved, "consumed":
		return Approved
	}
	return Pending
}

// addDetails adds what the destination is told beyond that something happened. A content
// that is forgotten, or that the log does not prove, is not told.
func (m *MessageConfirm) addDetails(r Reader, c *Confirm, to *Destination) error {
	if to.Details == DetailsNone {
		return nil
	}
	m.Actions, m.Requester = c.Actions, c.RequestedByName
	stored, err := loadContent(r, c)
	if errors.Is(err, ErrNotFound) || errors.Is(err, ErrUnproven) {
		return nil
	}
	if err != nil {
		return err
	}
	content, err := evidence.ParseContent(stored.Content)
	if err != nil {
		return err
	}
	if len(content.Actions) > 0 && plainTool.MatchString(content.Actions[0].Name) {
		m.Tool = content.Actions[0].Name
	}
	if to.Details != DetailsFull {
		return nil
	}
	m.Content = content
	if to.KeyID != "" && m.Status != Pending && c.IsFinal() {
		m.Outcome, err = outcomeOf(r, c)
	}
	return err
}
