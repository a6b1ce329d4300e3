package domain

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"

	"countersign/domain/evidence"
	"countersign/domain/mplp"
)

// posting is a confirm to be posted, and what of it follows from nothing but what
// was sent: that is made before the transaction, for which others wait.
type posting struct {
	*mplp.Confirm
	asked   Confirm
	stored  ConfirmContent
	actions []evidence.Action
}

func (s *Service) posting(in *mplp.Confirm) (*posting, error) {
	p := &posting{Confirm: in, asked: Confirm{
		ID: in.ID, Fresh: in.ID == "", TargetType: TargetType(in.TargetType), TargetID: in.TargetID,
		Status: Pending, OnReject: in.OnReject, Supersedes: in.Supersedes, SessionID: in.SessionID, MessageID: in.MessageID,
		Actions: len(in.Actions), Imported: in.Imported(), Locked: in.Locked,
	}}
	p.digest()
	for _, id := range []*string{&p.asked.ID, &p.asked.TargetID} {
		if *id == "" {
			made, err := s.newID()
			if err != nil {
				return nil, err
			}
			*id = made
		}
	}
	if in.Trace != nil {
		p.asked.TraceID, p.asked.SpanID = in.Trace.TraceID, in.Trace.SpanID
	}
	if p.asked.Imported {
		p.asked.Cause = CauseImport
		if in.Status != "" {
			p.asked.Status = Status(in.Status)
		}
	}
	p.stored = ConfirmContent{Reason: in.Reason, Salt: make([]byte, evidence.SaltSize)}
	for i, a := range in.Actions {
		p.actions = append(p.actions, evidence.Action{
			Name: a.Name, Args: a.Args, ToolUseID: a.ToolUseID, Description: a.Description, ReviewConfig: in.ReviewConfigJSON(i),
		})
		p.stored.Tools = append(p.stored.Tools, a.Name)
	}
	if _, err := io.ReadFull(s.rand, p.stored.Salt); err != nil {
		return nil, fmt.Errorf("salt: %w", err)
	}
	return p, nil
}

// digest names what was sent, to tell whether a repeated post is the same.
func (p *posting) digest() {
	sum := sha256.Sum256(p.Native.Bytes())
	p.asked.BodyDigest = sum[:]
}

// content builds what is hashed, and the object that is given back.
func (p *posting) content(c *Confirm) (stored *ConfirmContent, object []byte) {
	requestedAt := p.RequestedAt
	if requestedAt == "" {
		requestedAt = mplp.RenderTime(c.ReceivedAt)
	}
	document := evidence.Content{
		ConfirmID: c.ID, TargetType: string(c.TargetType), TargetID: c.TargetID, TargetHash: c.TargetHash,
		StepID: c.StepID, RequiredRole: p.RequiredRole, RequestedByRole: c.RequestedByRole, RequestedBy: c.RequestedBy.String(),
		ReceivedAt: c.ReceivedAt, RequestedAt: requestedAt, ExpiresAt: c.ExpiresAt, OnReject: c.OnReject,
		Supersedes: c.Supersedes, Reason: p.Reason, Actions: p.actions, SessionID: c.SessionID, MessageID: c.MessageID,
	}
	if document.StepID == "" {
		document.StepID = p.StepID
	}
	if c.TargetType == TargetOther {
		document.PlanID = p.PlanID
	}
	if trace, ok := p.Native.Get("trace"); ok && p.Trace != nil {
		document.Trace = json.RawMessage(trace)
	}
	object = mplp.CompleteConfirm(p.Native, c.ID, c.TargetID, c.RequestedByRole, requestedAt)
	stored = new(ConfirmContent)
	*stored = p.stored
	stored.Content, stored.Native = document.Marshal(), withoutArgs(object, p.actions)
	c.ContentHash = evidence.ContentHash(stored.Salt, stored.Content)
	c.EffectiveHash = c.ContentHash
	return stored, object
}
