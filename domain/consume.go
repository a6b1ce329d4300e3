package domain

import (
	"context"
	"errors"
	"strconv"
	"time"

	"countersign/domain/evidence"
)

// Consumption records that an approval was used, so that it is used once. PlanID
// and StepID say which step of a plan it was used for, if one. Of a step there is
// one row with the subject "step:<id>", whichever approval it was used by; the
// actions of that approval have rows beside it.
type Consumption struct {
	RequestedSeq int64  // the confirm's
	Subject      string // "confirm", "step:<id>" or "action:<index>"
	PlanID       string
	StepID       string
	ExecutionID  string
	ConsumedBy   Ref
	ConsumedAt   time.Time
	Seq          int64
}

// ConsumeInput uses an approval for one execution.
type ConsumeInput struct {
	ConfirmID   string
	ExecutionID string
	StepID      string // for an approval of a whole plan
	Action      *int64 // index; required where the confirm has actions
	ArgsHash    string // of the effective arguments, where there are actions
}

// Consume uses an approval, once per confirm or per action, and for a plan once
// per step, whichever approval it is: there the gate has to say RESUME because of
// this one. The same execution may repeat itself; another is refused. An
// action may be consumed when its own decision is approve or edit. One from before a
// restore is not used: what was used in the time that is lost, nobody knows. A
// deadline that has passed is settled before it answers. Needs plan.execute.
func (s *Service) Consume(ctx context.Context, ref Ref, in ConsumeInput) (used *Consumption, err error) {
	if in.ConfirmID == "" {
		return nil, Invalid("confirm_id", "required", "confirm_id is required.")
	}
	if in.ExecutionID == "" {
		return nil, Invalid("execution_id", "required", "execution_id is required.")
	}
	var due []string
	use := func(tx Tx, p *Principal) (err error) {
		used, due, err = s.consume(tx, p, in)
		return err
	}
	if err = s.as(ctx, ref, use); len(due) == 0 {
		return used, err
	}
	if err := s.settleAll(ctx, due); err != nil {
		return nil, err
	}
	err = s.as(ctx, ref, use)
	return used, err
}

// consume looks once. Due are confirms to settle before its refusal counts.
func (s *Service) consume(tx Tx, p *Principal, in ConsumeInput) (used *Consumption, due []string, err error) {
	c, err := byID(in.ConfirmID).visible(tx, p)
	if err != nil {
		return nil, nil, err
	}
	subject, step, err := c.part(in)
	if err != nil {
		return nil, nil, err
	}
	if err := p.needs(PlanExecute); err != nil {
		return nil, nil, err
	}
	if err := s.unchanged(); err != nil {
		return nil, nil, err
	}
	if due, err := s.usable(tx, p, c, step, in); err != nil {
		return nil, due, err
	}
	ofStep, err := usedStep(tx, c, step)
	if err != nil {
		return nil, nil, err
	}
	used, err = tx.Consumption(c.RequestedSeq, subject)
	if err == nil {
		if used.ExecutionID != in.ExecutionID || used.StepID != step {
			return nil, nil, refuse(CodeConsumed, "This approval was used already, by another execution.")
		}
		return used, nil, nil
	} else if !errors.Is(err, ErrNotFound) {
		return nil, nil, err
	}
	if err := c.unused(tx, subject); err != nil {
		return nil, nil, err
	}
	if lost, err := restoredSince(tx, c.DecidedSeq); err != nil {
		return nil, nil, err
	} else if lost {
		return nil, nil, refuse(CodeInvalidTransition, "The database was restored from a backup since the approval, which may have been used before. Ask again.")
	}
	used = &Consumption{RequestedSeq: c.RequestedSeq, Subject: subject, StepID: step, ExecutionID: in.ExecutionID, ConsumedBy: p.Ref, ConsumedAt: s.clock()}
	if used.Seq, err = tx.NextSeq(); err != nil {
		return nil, nil, err
	}
	facts := []any{"execution_id", in.ExecutionID, "subject", subject}
	if step != "" {
		used.PlanID, facts = c.PlanID, append(facts, "step_id", step)
	}
	if whole := *used; step != "" && ofStep == nil && c.Actions > 0 {
		whole.Subject = "step:" + step
		if err := insertUse(tx, c, &whole); err != nil {
			return nil, nil, err
		}
	}
	if err := insertUse(tx, c, used); err != nil {
		return nil, nil, err
	}
	return used, nil, s.log(tx, p, evidence.Entry{Type: "confirm.consumed", ConfirmID: c.ID, PlanID: c.PlanID, ContentHash: c.ContentHash,
		EffectiveHash: c.EffectiveHash, TraceID: c.TraceID, SpanID: c.SpanID, Data: data(facts...)})
}

// insertUse writes a use that was looked for just now, and was not there.
func insertUse(tx Tx, c *Confirm, used *Consumption) error {
	err := tx.InsertConsumption(used)
	if errors.Is(err, ErrConflict) {
		err = c.unproven()
	}
	return err
}

// part names what of the confirm is used, and for which step of its plan.
func (c *Confirm) part(in ConsumeInput) (subject, step string, err error) {
	switch {
	case c.Actions > 0 && in.Action == nil:
		return "", "", Invalid("action", "required", "The confirm has actions: say which one runs.")
	case c.Actions > 0 && (*in.Action < 0 || *in.Action >= int64(c.Actions)):
		return "", "", Invalid("action", "limit", "The confirm has the actions 0 to %d.", c.Actions-1)
	case c.Actions > 0 && !hashShape.MatchString(in.ArgsHash):
		return "", "", Invalid("args_hash", "required", "Send the hash of the arguments that run.")
	case c.Binding == BoundPlan && in.StepID == "":
		return "", "", Invalid("step_id", "required", "The approval is for a whole plan: say which step runs.")
	case c.Binding == BoundStep && in.StepID != "" && in.StepID != c.StepID:
		return "", "", Invalid("step_id", "const", "The approval is for step %s.", c.StepID)
	}
	switch c.Binding {
	case BoundPlan:
		step = in.StepID
	case BoundStep:
		step = c.StepID
	}
	switch {
	case c.Actions > 0:
		return "action:" + strconv.FormatInt(*in.Action, 10), step, nil
	case step != "":
		return "step:" + step, step, nil
	}
	return "confirm", "", nil
}

// usable refuses what is not approved, not proven, or not there any more. Due are
// confirms to settle before the refusal counts.
func (s *Service) usable(r Reader, p *Principal, c *Confirm, step string, in ConsumeInput) (due []string, err error) {
	const unusable = "The confirm is %s: there is no approval to use."
	switch {
	case c.Imported:
		return nil, refuse(CodeInvalidTransition, unusable, "an import")
	case step != "":
		if due, err := s.resumes(r, p, c, step); err != nil {
			return due, err
		}
	case c.Due(s.clock()):
		return []string{c.ID}, refuse(CodeInvalidTransition, unusable, c.Status)
	case !c.Final():
		return nil, refuse(CodeInvalidTransition, unusable, c.Status)
	}
	o, err := outcomeOf(r, c)
	if err != nil {
		return nil, err
	}
	if c.Actions > 0 {
		switch d := o.Decision.Actions[*in.Action]; {
		case d.Type == ActionReject:
			return nil, refuse(CodeInvalidTransition, "This action was not approved.")
		case d.ArgsHash != in.ArgsHash:
			return nil, refuse(CodeContentChanged, "These are not the arguments that were approved.")
		}
	} else if c.Status != Approved {
		return nil, refuse(CodeInvalidTransition, unusable, c.Status)
	}
	if step != "" {
		return nil, nil // the gate has it proven
	}
	// An entry that the newest checkpoint does not have yet is of the same
	// commit group.
	_, checkpoint, err := r.Checkpoint()
	if err == nil && o.Decision.Seq < checkpoint.Size {
		_, _, err = proven(r, o.Decision.Seq)
	}
	if err != nil {
		return nil, refuse(CodeInvalidTransition, "The log does not prove this approval.")
	}
	if c.Binding == BoundUnknown {
		return nil, refuse(CodeInvalidTransition, "The confirm names no step of a plan that there is: it lets nothing run.")
	}
	return nil, nil
}

// resumes refuses an approval unless the gate lets the step run because of it.
// Due are confirms to settle before the refusal counts.
func (s *Service) resumes(r Reader, p *Principal, c *Confirm, step string) (due []string, err error) {
	v, due, err := s.verdict(r, p, GateQuery{PlanID: c.PlanID, StepID: step})
	if err != nil {
		return nil, err
	}
	if v.Code == "unknown" {
		if _, err := visiblePlan(r, p, c.PlanID); err == nil { // so it is the step
			return nil, Invalid("step_id", "reference", "%s", v.Reason)
		}
	}
	switch {
	case v.Code == "changed":
		return nil, refuse(CodeContentChanged, "%s", v.Reason)
	case !v.Allow():
		return due, refuse(CodeInvalidTransition, "The gate says %s (%s): %s", v.Verdict, v.Code, v.Reason)
	case v.Confirms[0] != c.ID:
		return nil, refuse(CodeInvalidTransition, "The step may run because of another approval, %s, and not because of this one.", v.Confirms[0])
	}
	return nil, nil
}

// usedStep is the use of a step of the confirm's plan, nil for none. It is refused
// if it was by another approval.
func usedStep(r Reader, c *Confirm, step string) (*Consumption, error) {
	if step == "" {
		return nil, nil
	}
	used, err := r.ConsumptionOfStep(c.PlanID, step)
	switch {
	case errors.Is(err, ErrNotFound):
		return nil, nil
	case err == nil && used.RequestedSeq != c.RequestedSeq:
		return nil, refuse(CodeConsumed, "The step %s was used already, by another approval.", step)
	}
	return used, err
}
