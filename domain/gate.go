package domain

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"countersign/domain/evidence"
)

// The gate's verdicts (requirements F-11 to F-14).
const (
	VerdictBlock   = "BLOCK"   // do not run; code says why
	VerdictResume  = "RESUME"  // run
	VerdictAbort   = "ABORT"   // stop the plan
	VerdictCleanup = "CLEANUP" // tidy up and exit
)

// Verdict is the gate's answer. Confirms are what it rests on.
type Verdict struct {
	Verdict, Code, Reason string
	Confirms              []string

	awaits *Change // nil unless it is BLOCK pending
}

// Allow is true only with RESUME.
func (v *Verdict) Allow() bool { return v.Verdict == VerdictResume }

// GateQuery asks whether a step may run: before any tool or action
// (requirements F-15). ToolUseID and ArgsHash narrow it to one action.
type GateQuery struct {
	PlanID, StepID      string
	ToolUseID, ArgsHash string
	Wait                time.Duration // for another verdict than BLOCK pending
}

// Gate answers from what is committed, and fails closed: whatever is unknown,
// unclear or in doubt is BLOCK. RESUME is given only when the log proves the
// approval. Needs plan.execute.
func (s *Service) Gate(ctx context.Context, ref Ref, q GateQuery) (*Verdict, error) {
	if q.PlanID == "" || q.StepID == "" {
		path := "plan_id"
		if q.PlanID != "" {
			path = "step_id"
		}
		return nil, Invalid(path, "required", "The gate is asked for one step of one plan.")
	}
	if q.ArgsHash != "" && !hashShape.MatchString(q.ArgsHash) {
		return nil, Invalid("args_hash", "pattern", "A hash is sha256: and 64 hexadecimal digits.")
	}
	if q.Wait <= 0 {
		return s.gate(ctx, ref, q)
	}
	var v *Verdict
	err := s.wait(ctx, ref, planTopic(q.PlanID), q.Wait, func(*Outcome) (c *Change, err error) {
		if v, err = s.gate(ctx, ref, q); err != nil {
			return nil, err
		}
		return v.awaits, nil
	})
	if err != nil {
		return nil, err
	}
	return v, nil
}

// gate looks once, after settling what is due.
func (s *Service) gate(ctx context.Context, ref Ref, q GateQuery) (v *Verdict, err error) {
	var due []string
	look := func(r Reader, p *Principal) error {
		if err := p.needs(PlanExecute); err != nil {
			return err
		}
		v, due, err = s.verdict(r, p, q)
		return err
	}
	if err = s.read(ctx, ref, look); err == nil && len(due) > 0 {
		if err = s.settleAll(ctx, due); err == nil {
			err = s.read(ctx, ref, look)
		}
	}
	if errors.Is(err, ErrUnproven) {
		return block("unproven", "What is stored is not what the log says."), nil
	}
	return v, err
}

func block(code, format string, args ...any) *Verdict {
	return &Verdict{Verdict: VerdictBlock, Code: code, Reason: fmt.Sprintf(format, args...)}
}

// verdict is DESIGN's list. due are confirms whose deadline has come: the
// answer counts only once they are settled.
func (s *Service) verdict(r Reader, p *Principal, q GateQuery) (v *Verdict, due []string, err error) {
	plan, err := visiblePlan(r, p, q.PlanID)
	if ErrorCode(err) == CodeNotFound {
		return block("unknown", "There is no such plan, or it is not yours."), nil, nil
	} else if err != nil {
		return nil, nil, err
	}
	document, err := s.planDocument(r, plan)
	if err != nil {
		return nil, nil, err
	}
	if !hasStep(document.Steps, q.StepID) {
		return block("unknown", "The plan has no step %s.", q.StepID), nil, nil
	}
	confirms, err := r.ConfirmsOfStep(plan.ID, q.StepID)
	if err != nil {
		return nil, nil, err
	}
	said := plan.voices(confirms, s.clock())
	if len(said.pending) > 0 {
		v = block("pending", "Waits for a decision.")
		v.Confirms, v.awaits = said.pending, &Change{topic: planTopic(plan.ID), Due: said.deadline}
		return v, said.due, nil
	}
	if s.Verification().Tampered() {
		return block("unproven", "%s Nothing runs until a later one finds it as it should be.", foundChanged), nil, nil
	}
	if len(said.unbound) > 0 {
		v = block("unbound", "A confirm that names no step of this plan was rejected; it blocks them all.")
		v.Confirms = said.unbound
		return v, nil, nil
	}
	v, err = s.verdictOn(r, plan, cmp.Or(said.own, said.whole), q)
	if err != nil || !v.Allow() {
		return v, nil, err
	}
	switch more, err := s.overlooked(r, plan.ID, q.StepID, confirms); {
	case err != nil:
		return nil, nil, err
	case more:
		v = block("unproven", "The log has another confirm that speaks for this step.")
	}
	return v, nil, nil
}

// voices are the confirms that speak for one step of a plan.
type voices struct {
	pending    []string
	due        []string  // of those pending
	deadline   time.Time // the first of those pending that are not due
	unbound    []string  // rejected, and of no step that there is
	own, whole *Confirm  // the latest of the step, and of the whole plan
}

// voices tells the confirms of a step apart, which come newest first.
func (p *Plan) voices(confirms []*Confirm, now time.Time) (v voices) {
	for _, c := range confirms {
		if c.Imported || !p.counts(c) {
			continue
		}
		switch {
		case c.Due(now):
			v.due = append(v.due, c.ID)
			v.pending = append(v.pending, c.ID)
		case c.Status == Pending:
			v.pending = append(v.pending, c.ID)
			if !c.ExpiresAt.IsZero() && (v.deadline.IsZero() || c.ExpiresAt.Before(v.deadline)) {
				v.deadline = c.ExpiresAt
			}
		case c.Binding == BoundUnknown && c.Status == Rejected:
			v.unbound = append(v.unbound, c.ID)
		case c.Binding == BoundStep && v.own == nil:
			v.own = c
		case c.Binding == BoundPlan && v.whole == nil:
			v.whole = c
		}
	}
	return v
}

// verdictOn follows from the one confirm that speaks for the step.
func (s *Service) verdictOn(r Reader, plan *Plan, c *Confirm, q GateQuery) (*Verdict, error) {
	if c == nil {
		if stopped := plan.stopped(); stopped != nil {
			return stopped, nil
		}
		return block("no_confirm", "Nobody was asked about this step."), nil
	}
	o, err := outcomeOf(r, c)
	if err != nil {
		return nil, err
	}
	v := &Verdict{Reason: o.Text, Confirms: []string{c.ID}}
	if v.Reason == "" {
		v.Reason = fmt.Sprintf("The confirm was %s in the role %s.", c.Status, o.Decision.DecidedByRole)
	}
	switch {
	case c.Status == Cancelled:
		v.Verdict, v.Code = VerdictCleanup, "cancelled"
	case c.Status == Rejected && c.OnReject == OnRejectRecover:
		v.Verdict, v.Code = VerdictBlock, "recover"
	case c.Status == Rejected:
		v.Verdict, v.Code = VerdictAbort, "rejected"
	default:
		stopped := plan.stopped()
		if stopped == nil && c.TargetHash != plan.Hash {
			stopped = block("changed", "The plan is not the one that was approved.")
		}
		if stopped == nil {
			stopped, err = s.unproven(r, c, o.Decision, q)
		}
		if err != nil {
			return nil, err
		}
		if stopped != nil {
			stopped.Confirms = v.Confirms
			return stopped, nil
		}
		v.Verdict, v.Code = VerdictResume, "approved"
	}
	return v, nil
}

// stopped says why nothing of the plan may run, nil if it may.
func (p *Plan) stopped() *Verdict {
	switch {
	case p.Imported:
		return block("imported", "The plan is an import: it is a record and does not run.")
	case p.Locked:
		return block("locked", "The plan is locked.")
	case p.Status != PlanApproved && p.Status != PlanInProgress:
		return block(string(p.Status), "The plan is %s.", p.Status)
	}
	return nil
}

// unproven checks an approval against the log and against the action that is
// about to run: a status column alone proves nothing (threats T03, T33).
func (s *Service) unproven(r Reader, c *Confirm, d *Decision, q GateQuery) (*Verdict, error) {
	entry, _, err := proven(r, d.Seq)
	if err != nil || !approves(entry, c, d) {
		return block("unproven", "The log does not prove this approval."), nil
	}
	stored, err := contentOf(r, c)
	if errors.Is(err, ErrNotFound) {
		return block("unproven", "What was approved has been forgotten."), nil
	} else if err != nil {
		return nil, err
	}
	content, err := evidence.ParseContent(stored.Content)
	if err != nil || effectiveHash(stored, content, d.Actions) != c.EffectiveHash {
		return block("unproven", "What is stored is not what was approved."), nil
	}
	if q.ToolUseID == "" && q.ArgsHash == "" {
		return nil, nil
	}
	for i, a := range content.Actions {
		if q.ToolUseID != "" && a.ToolUseID != q.ToolUseID {
			continue
		}
		if q.ArgsHash == "" || q.ArgsHash == d.Actions[i].ArgsHash {
			return nil, nil
		}
	}
	return block("action", "What is about to run is not among the actions that were approved."), nil
}

// approves says whether the entry is of this approval of this confirm.
func approves(e *evidence.Entry, c *Confirm, d *Decision) bool {
	return e.Type == "confirm.approved" && e.ConfirmID == c.ID && e.PlanID == c.PlanID &&
		e.ContentHash == c.ContentHash && e.EffectiveHash == c.EffectiveHash && sameActions(e, d)
}

// sameActions says whether the entry is of a decision: its number, and what was
// decided on each action.
func sameActions(e *evidence.Entry, d *Decision) bool {
	return e.Seq == d.Seq && slices.EqualFunc(e.Decisions, d.Actions, func(logged evidence.EntryDecision, a ActionDecision) bool {
		return logged.Type == a.Type && logged.ArgsHash == a.ArgsHash
	})
}
