package domain

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strconv"
	"time"

	"countersign/domain/evidence"
)

// Consumption records one use of an approval. PlanID and StepID name the step of a plan
// that it was used for, if any. A step has one row with the subject "step:<id>",
// whichever approval was used; the actions of that approval have rows beside it.
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

// ConsumptionReader reads consumptions.
type ConsumptionReader interface {
	// Consumption returns the use of one part of an approval (see
	// Consumption.Subject).
	Consumption(requestedSeq int64, subject string) (*Consumption, error)
	// ConsumptionOfStep returns the use of the step itself. The actions of its
	// approval have consumptions of their own.
	ConsumptionOfStep(planID, stepID string) (*Consumption, error)
}

// ConsumptionWriter writes consumptions.
type ConsumptionWriter interface {
	InsertConsumption(*Consumption) error
}

// ConsumeInput says which execution uses which part of an approval.
type ConsumeInput struct {
	ConfirmID   string
	ExecutionID string
	StepID      string // for an approval of a whole plan
	Action      *int64 // index; required where the confirm has actions
	ArgsHash    string // of the effective arguments, where there are actions
}

// Consume uses an approval: once per confirm or per action, and once per step of a
// plan, where the gate must say RESUME because of this approval. The same execution may
// repeat the call; another is refused. An action needs its own approve or edit. An
// approval from before a restore is refused: it may have been used in the time that is
// lost. Needs plan.execute.
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
	if err = s.write(ctx, ref, use); len(due) == 0 {
		return used, err
	}
	if err := s.expireEach(ctx, due); err != nil {
		return nil, err
	}
	err = s.write(ctx, ref, use)
	return used, err
}

// consume tries once. due are confirms to expire before its refusal counts.
func (s *Service) consume(tx Tx, p *Principal, in ConsumeInput) (used *Consumption, due []string, err error) {
	c, err := byID(in.ConfirmID).findVisible(tx, p)
	if err != nil {
		return nil, nil, err
	}
	subject, step, err := c.resolvePart(in)
	if err != nil {
		return nil, nil, err
	}
	if err := p.require(PlanExecute); err != nil {
		return nil, nil, err
	}
	if err := s.checkNotTampered(); err != nil {
		return nil, nil, err
	}
	if due, err := s.checkUsable(tx, p, c, step, in); err != nil {
		return nil, due, err
	}
	ofStep, err := findStepUse(tx, c, step)
	if err != nil {
		return nil, nil, err
	}
	used, err = tx.Consumption(c.RequestedSeq, subject)
	if err == nil {
		if used.ExecutionID != in.ExecutionID || used.StepID != step {
			return nil, nil, refuse(CodeConsumed, "Another execution already used this approval.")
		}
		return used, nil, nil
	} else if !errors.Is(err, ErrNotFound) {
		return nil, nil, err
	}
	if err := c.checkUnusedInLog(tx, subject); err != nil {
		return nil, nil, err
	}
	if lost, err := restoredSince(tx, c.DecidedSeq); err != nil {
		return nil, nil, err
	} else if lost {
		return nil, nil, refuse(CodeInvalidTransition, "The database was restored from a backup after the approval, which may have been used before. Ask again.")
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

// insertUse writes a use after a look that did not find it.
func insertUse(tx Tx, c *Confirm, used *Consumption) error {
	err := tx.InsertConsumption(used)
	if errors.Is(err, ErrConflict) {
		err = c.errUnproven()
	}
	return err
}

// resolvePart names the part of the confirm that is used, and for which step of its
// plan.
func (c *Confirm) resolvePart(in ConsumeInput) (subject, step string, err error) {
	switch {
	case c.Actions > 0 && in.Action == nil:
		return "", "", Invalid("action", "required", "The confirm has actions. Send the index of the one that runs.")
	case c.Actions > 0 && (*in.Action < 0 || *in.Action >= int64(c.Actions)):
		return "", "", Invalid("action", "limit", "The confirm has actions 0 to %d.", c.Actions-1)
	case c.Actions > 0 && !hashPattern.MatchString(in.ArgsHash):
		return "", "", Invalid("args_hash", "required", "Send the hash of the arguments that run.")
	case c.Binding == BoundPlan && in.StepID == "":
		return "", "", Invalid("step_id", "required", "The approval is for a whole plan. Send the id of the step that runs.")
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

// checkUsable refuses what is not approved, not proven, or no longer stored. due are
// confirms to expire before the refusal counts.
func (s *Service) checkUsable(r Reader, p *Principal, c *Confirm, step string, in ConsumeInput) (due []string, err error) {
	const unusable = "The confirm is %s. There is no approval to use."
	switch {
	case c.Imported:
		return nil, refuse(CodeInvalidTransition, unusable, "an import")
	case step != "":
		if due, err := s.checkGateResumes(r, p, c, step); err != nil {
			return due, err
		}
	case c.IsDue(s.clock()):
		return []string{c.ID}, refuse(CodeInvalidTransition, unusable, c.Status)
	case !c.IsFinal():
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
		return nil, nil // the gate has checked the proof
	}
	// An entry that the newest checkpoint does not cover yet belongs to the same
	// commit group.
	_, checkpoint, err := r.Checkpoint()
	if err == nil && o.Decision.Seq < checkpoint.Size {
		_, _, err = readProven(r, o.Decision.Seq)
	}
	if err == nil && c.Quorum > 0 {
		err = proveStoredVotes(r, c)
	}
	if err != nil {
		return nil, refuse(CodeInvalidTransition, "The log does not prove this approval.")
	}
	if c.Binding == BoundUnknown {
		return nil, refuse(CodeInvalidTransition, "The confirm names no existing step of a plan, so it allows nothing.")
	}
	return nil, nil
}

// checkGateResumes refuses an approval unless the gate lets the step run because of it.
// due are confirms to expire before the refusal counts.
func (s *Service) checkGateResumes(r Reader, p *Principal, c *Confirm, step string) (due []string, err error) {
	v, due, err := s.decideGate(r, p, GateQuery{PlanID: c.PlanID, StepID: step})
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
	case !v.Allows():
		return due, refuse(CodeInvalidTransition, "The gate says %s (%s): %s", v.Verdict, v.Code, v.Reason)
	case v.Confirms[0] != c.ID:
		return nil, refuse(CodeInvalidTransition, "The step runs under another approval, %s, not under this one.", v.Confirms[0])
	}
	return nil, nil
}

// findStepUse returns the use of a step of the confirm's plan, nil for none. It refuses
// if another approval was used.
func findStepUse(r Reader, c *Confirm, step string) (*Consumption, error) {
	if step == "" {
		return nil, nil
	}
	used, err := r.ConsumptionOfStep(c.PlanID, step)
	switch {
	case errors.Is(err, ErrNotFound):
		return nil, nil
	case err == nil && used.RequestedSeq != c.RequestedSeq:
		return nil, refuse(CodeConsumed, "Another approval was already used for the step %s.", step)
	}
	return used, err
}

// checkUnusedInLog refuses a part that the log says was used: its row is missing.
func (c *Confirm) checkUnusedInLog(r Reader, subject string) error {
	entries, err := r.Entries(EntryFilter{ConfirmID: c.ID, Type: "confirm.consumed", Limit: MaxPage})
	if err != nil {
		return err
	}
	isUsed := slices.ContainsFunc(entries, func(e *evidence.Entry) bool {
		var facts struct{ Subject string }
		return json.Unmarshal(e.Data, &facts) != nil || facts.Subject == subject
	})
	if isUsed {
		return c.errUnproven()
	}
	return nil
}
