package domain

import (
	"context"
	"errors"
	"strconv"
	"time"

	"countersign/domain/evidence"
)

// Consumption records that an approval was used, so that it is used once.
type Consumption struct {
	RequestedSeq int64  // the confirm's
	Subject      string // "confirm", "step:<id>" or "action:<index>"
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

// Consume uses an approval, once per confirm, per step of a whole-plan approval
// or per action. The same execution may repeat itself; another is refused. An
// action may be consumed when its own decision is approve or edit. One from before a
// restore is not used: what was used in the time that is lost, nobody knows. Needs
// plan.execute.
func (s *Service) Consume(ctx context.Context, ref Ref, in ConsumeInput) (used *Consumption, err error) {
	if in.ConfirmID == "" {
		return nil, Invalid("confirm_id", "required", "confirm_id is required.")
	}
	if in.ExecutionID == "" {
		return nil, Invalid("execution_id", "required", "execution_id is required.")
	}
	err = s.as(ctx, ref, func(tx Tx, p *Principal) error {
		c, err := byID(in.ConfirmID).visible(tx, p)
		if err != nil {
			return err
		}
		subject, err := c.subject(in)
		if err != nil {
			return err
		}
		if err := p.needs(PlanExecute); err != nil {
			return err
		}
		if err := s.unchanged(); err != nil {
			return err
		}
		if err := s.consumable(tx, c, in); err != nil {
			return err
		}
		used, err = tx.Consumption(c.RequestedSeq, subject)
		if err == nil {
			if used.ExecutionID != in.ExecutionID {
				return refuse(CodeConsumed, "This approval was used already, by another execution.")
			}
			return nil
		} else if !errors.Is(err, ErrNotFound) {
			return err
		}
		if err := c.unused(tx, subject); err != nil {
			return err
		}
		if lost, err := restoredSince(tx, c.DecidedSeq); err != nil {
			return err
		} else if lost {
			return refuse(CodeInvalidTransition, "The database was restored from a backup since the approval, which may have been used before. Ask again.")
		}
		used = &Consumption{RequestedSeq: c.RequestedSeq, Subject: subject, ExecutionID: in.ExecutionID, ConsumedBy: p.Ref, ConsumedAt: s.clock()}
		if used.Seq, err = tx.NextSeq(); err != nil {
			return err
		}
		if err := tx.InsertConsumption(used); errors.Is(err, ErrConflict) {
			return c.unproven() // it was not there just now
		} else if err != nil {
			return err
		}
		return s.log(tx, p, evidence.Entry{Type: "confirm.consumed", ConfirmID: c.ID, PlanID: c.PlanID, ContentHash: c.ContentHash,
			EffectiveHash: c.EffectiveHash, TraceID: c.TraceID, SpanID: c.SpanID, Data: data("execution_id", in.ExecutionID, "subject", subject)})
	})
	return used, err
}

// subject names what of the confirm is used.
func (c *Confirm) subject(in ConsumeInput) (string, error) {
	switch {
	case c.Actions > 0 && in.Action == nil:
		return "", Invalid("action", "required", "The confirm has actions: say which one runs.")
	case c.Actions > 0 && (*in.Action < 0 || *in.Action >= int64(c.Actions)):
		return "", Invalid("action", "limit", "The confirm has the actions 0 to %d.", c.Actions-1)
	case c.Actions > 0 && !hashShape.MatchString(in.ArgsHash):
		return "", Invalid("args_hash", "required", "Send the hash of the arguments that run.")
	case c.Actions > 0:
		return "action:" + strconv.FormatInt(*in.Action, 10), nil
	case c.Binding == BoundPlan && in.StepID == "":
		return "", Invalid("step_id", "required", "The approval is for a whole plan: say which step runs.")
	case c.Binding == BoundPlan:
		return "step:" + in.StepID, nil
	}
	return "confirm", nil
}

// consumable refuses what is not approved, not proven, or not there any more.
func (s *Service) consumable(r Reader, c *Confirm, in ConsumeInput) error {
	const unusable = "The confirm is %s: there is no approval to use."
	if c.Imported {
		return refuse(CodeInvalidTransition, unusable, "an import")
	} else if !c.Final() {
		return refuse(CodeInvalidTransition, unusable, c.Status)
	}
	o, err := outcomeOf(r, c)
	if err != nil {
		return err
	}
	if in.Action != nil && c.Actions > 0 {
		switch d := o.Decision.Actions[*in.Action]; {
		case d.Type == ActionReject:
			return refuse(CodeInvalidTransition, "This action was not approved.")
		case d.ArgsHash != in.ArgsHash:
			return refuse(CodeContentChanged, "These are not the arguments that were approved.")
		}
	} else if c.Status != Approved {
		return refuse(CodeInvalidTransition, unusable, c.Status)
	}
	// An entry that the newest checkpoint does not have yet is of the same
	// commit group.
	_, checkpoint, err := r.Checkpoint()
	if err == nil && o.Decision.Seq < checkpoint.Size {
		_, _, err = proven(r, o.Decision.Seq)
	}
	if err != nil {
		return refuse(CodeInvalidTransition, "The log does not prove this approval.")
	}
	switch {
	case c.Binding == BoundUnknown:
		return refuse(CodeInvalidTransition, "The confirm names no step of a plan that there is: it lets nothing run.")
	case c.PlanID == "" && c.TargetType == TargetPlan: // it is another group's
		return refuse(CodeInvalidTransition, "The plan is not known.")
	case c.PlanID == "":
		return nil
	}
	return s.runs(r, c, in)
}

// runs refuses the approval of a plan that does not run, or has changed since, or
// has no such step.
func (s *Service) runs(r Reader, c *Confirm, in ConsumeInput) error {
	plan, err := r.Plan(c.PlanID)
	if errors.Is(err, ErrNotFound) {
		return refuse(CodeInvalidTransition, "The plan is not known.")
	} else if err != nil {
		return err
	}
	if stopped := plan.stopped(); stopped != nil {
		return refuse(CodeInvalidTransition, "%s", stopped.Reason)
	}
	if c.TargetHash != plan.Hash {
		return refuse(CodeContentChanged, "The plan is not the one that was approved.")
	}
	if in.StepID == "" {
		return nil
	}
	if c.StepID != "" && c.StepID != in.StepID {
		return Invalid("step_id", "const", "The approval is for step %s.", c.StepID)
	}
	document, err := s.planDocument(r, plan)
	if err != nil {
		return err
	}
	if !hasStep(document.Steps, in.StepID) {
		return Invalid("step_id", "reference", "The plan has no step %s.", in.StepID)
	}
	return nil
}
